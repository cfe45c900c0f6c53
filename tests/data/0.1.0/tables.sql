BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE claims (
	table_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	owner TEXT NOT NULL, 
	until BIGINT NOT NULL, 
	CONSTRAINT pk_claims PRIMARY KEY (table_id)
)
 WITHOUT ROWID

;
CREATE TABLE entries (
	table_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	data TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_entries PRIMARY KEY (table_id, number)
)
 WITHOUT ROWID

;
INSERT INTO "entries" VALUES('FG94hPCFXK18',0,'open','{"game":"varvitikud","rules":1,"seats":2,"options":{"half_turn":false,"first":0},"settings":{"is_open":true,"hints":true,"memory_aid":true},"levels":["",""],"seed":4610527152530776923,"salt":"9dadce6cd39556692ebe12bdee957f62"}',1794789366275);
INSERT INTO "entries" VALUES('FG94hPCFXK18',1,'sit','{"seat":0,"person":"anna","name":"Anna","nonce":"8e2ea8b40b8a6a91","for_program":false}',1794789366290);
INSERT INTO "entries" VALUES('FG94hPCFXK18',2,'sit','{"seat":1,"person":"boris","name":"Boris","nonce":"ad12c353faeaef92","for_program":false}',1794789366302);
INSERT INTO "entries" VALUES('FG94hPCFXK18',3,'start','{}',1794789366302);
INSERT INTO "entries" VALUES('FG94hPCFXK18',4,'move','{"seat":0,"move":8743}',1794789366318);
INSERT INTO "entries" VALUES('FG94hPCFXK18',5,'move','{"seat":1,"move":5994}',1794789366326);
INSERT INTO "entries" VALUES('FG94hPCFXK18',6,'move','{"seat":0,"move":6149}',1794789366335);
INSERT INTO "entries" VALUES('FG94hPCFXK18',7,'move','{"seat":1,"move":2908}',1794789366358);
INSERT INTO "entries" VALUES('FG94hPCFXK18',8,'move','{"seat":0,"move":8094}',1794789366366);
INSERT INTO "entries" VALUES('FG94hPCFXK18',9,'move','{"seat":0,"move":23337}',1794789366374);
INSERT INTO "entries" VALUES('FG94hPCFXK18',10,'move','{"seat":1,"move":8260}',1794789366382);
INSERT INTO "entries" VALUES('GJ5kqZwHYpT3',0,'open','{"game":"matryoshka","rules":1,"seats":3,"options":{"long_columns":"extend","first":null},"settings":{"is_open":false,"hints":false,"memory_aid":false},"levels":["","",""],"seed":2839417397546384217,"salt":"aa06fd9ae87ff857a1d18c284e81317d"}',1794789366074);
INSERT INTO "entries" VALUES('GJ5kqZwHYpT3',1,'sit','{"seat":0,"person":"anna","name":"Anna","nonce":"9c77c8900179e641","for_program":false}',1794789366094);
INSERT INTO "entries" VALUES('LwzHrczsJuHP',0,'record','{"record":{"samovar":1,"game":"memoarrrr","rules":1,"seats":2,"options":{"expert":false,"ordered_stack":false,"first_reveal_ability":false,"first":0},"seed":8912375208215505880,"table":{"names":["Anna","Boris"],"bots":{},"commitment":"4273bcf629f22e1f09043158cc2c9223ea2aab467c9895fa7e285b568496fd05","salt":"00147a572a591ea9b56ec292cb355f6c"},"moves":[[0,"north"],[1,"east"],[0,"d1"],[1,"d3"],[1,"b4"],[0,"c2"],[0,"d3"],[1,"e4"],[1,"d1"],[0,"a5"],[0,"c2"],[1,"a1"],[1,"e5"],[0,"b2"],[0,"e3"],[1,"d2"],[0,"a2"]],"over":true,"scores":[9,6],"places":[1,2],"state":"05bf1b6490c45bca94f12d0a8ac188b6","digest":"9a92d1d3ee4b806e9e0266a676fbb1c7"}}',1794789366390);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',0,'open','{"game":"memoarrrr","rules":1,"seats":2,"options":{"expert":false,"ordered_stack":false,"first_reveal_ability":false,"first":0},"settings":{"is_open":true,"hints":true,"memory_aid":true},"levels":["",""],"seed":8912375208215505880,"salt":"00147a572a591ea9b56ec292cb355f6c"}',1794789365666);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',1,'sit','{"seat":0,"person":"anna","name":"Anna","nonce":"0261e551de3096d2","for_program":false}',1794789365674);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',2,'sit','{"seat":1,"person":"boris","name":"Boris","nonce":"7a6a5e3630dafaa1","for_program":false}',1794789365681);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',3,'start','{}',1794789365681);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',4,'move','{"seat":0,"move":25}',1794789365696);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',5,'move','{"seat":1,"move":26}',1794789365706);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',6,'move','{"seat":0,"move":3}',1794789365710);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',7,'move','{"seat":1,"move":13}',1794789365718);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',8,'move','{"seat":1,"move":16}',1794789365731);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',9,'move','{"seat":0,"move":7}',1794789365742);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',10,'move','{"seat":0,"move":13}',1794789365754);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',11,'move','{"seat":1,"move":19}',1794789365761);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',12,'move','{"seat":1,"move":3}',1794789365773);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',13,'move','{"seat":0,"move":20}',1794789365788);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',14,'move','{"seat":0,"move":7}',1794789365806);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',15,'move','{"seat":1,"move":0}',1794789365814);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',16,'move','{"seat":1,"move":24}',1794789365822);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',17,'move','{"seat":0,"move":6}',1794789365833);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',18,'move','{"seat":0,"move":14}',1794789365850);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',19,'move','{"seat":1,"move":8}',1794789365858);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',20,'move','{"seat":0,"move":5}',1794789365870);
INSERT INTO "entries" VALUES('eRjq7j5GGtBj',21,'again','{"table":"yA-8M9Xhmed2"}',1794789365894);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',0,'open','{"game":"memoarrrr","rules":1,"seats":2,"options":{"expert":false,"ordered_stack":false,"first_reveal_ability":false,"first":0},"settings":{"is_open":true,"hints":true,"memory_aid":true},"levels":["",""],"seed":3895236920604924224,"salt":"1e63a7bd4da9ab812666a429eb199d99"}',1794789365232);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',1,'sit','{"seat":0,"person":"anna","name":"Anna","nonce":"13de9e22a9a3a206","for_program":false}',1794789365242);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',2,'sit','{"seat":1,"person":"boris","name":"Boris","nonce":"b66b58364de48f40","for_program":false}',1794789365246);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',3,'start','{}',1794789365246);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',4,'move','{"seat":0,"move":25}',1794789365258);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',5,'move','{"seat":1,"move":27}',1794789365262);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',6,'move','{"seat":0,"move":10}',1794789365273);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',7,'ask','{"seat":0,"ply":2}',1794789365292);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',8,'refuse','{"seat":1}',1794789365301);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',9,'ask','{"seat":0,"ply":2}',1794789365318);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',10,'agree','{"seat":1}',1794789365322);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',11,'undo','{"seat":0,"ply":2}',1794789365322);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',12,'come','{"seat":0,"person":"anna-phone"}',1794789365331);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',13,'bot','{"seat":0,"level":"easy"}',1794789365345);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',14,'move','{"seat":0,"move":5}',1794789365354);
INSERT INTO "entries" VALUES('gbIdJwAhupYW',15,'come','{"seat":0,"person":"anna"}',1794789365655);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',0,'open','{"game":"babuschka","rules":1,"seats":2,"options":{"patience":40,"first":0},"settings":{"is_open":true,"hints":true,"memory_aid":true},"levels":["",""],"seed":1603842453421838460,"salt":"e9d0def6dc3c84d301269b899f0e6161"}',1794789364887);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',1,'sit','{"seat":0,"person":"anna","name":"Anna","nonce":"f97a220b16cedc01","for_program":false}',1794789364894);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',2,'sit','{"seat":1,"person":"boris","name":"Boris","nonce":"2eb0e748201c62cb","for_program":false}',1794789364906);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',3,'start','{}',1794789364906);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',4,'move','{"seat":0,"move":332}',1794789364915);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',5,'move','{"seat":1,"move":3827}',1794789364920);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',6,'move','{"seat":0,"move":276}',1794789364930);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',7,'move','{"seat":1,"move":3963}',1794789364942);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',8,'move','{"seat":0,"move":779}',1794789364950);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',9,'say','{"seat":0,"text":"Hello, Ñandú","is_phrase":false}',1794789364954);
INSERT INTO "entries" VALUES('vmeCvTMRvdhg',10,'say','{"seat":1,"text":"Well played!","is_phrase":true}',1794789364964);
INSERT INTO "entries" VALUES('yA-8M9Xhmed2',0,'open','{"game":"memoarrrr","rules":1,"seats":2,"options":{"expert":false,"ordered_stack":false,"first_reveal_ability":false,"first":null},"settings":{"is_open":true,"hints":true,"memory_aid":true},"levels":["",""],"seed":4585208014256287461,"salt":"4b5187843165cf9eca04c7c4a94bfba7"}',1794789365880);
INSERT INTO "entries" VALUES('yA-8M9Xhmed2',1,'sit','{"seat":0,"person":"anna","name":"Anna","nonce":"c5667515cb8265d1","for_program":false}',1794789365880);
INSERT INTO "entries" VALUES('yA-8M9Xhmed2',2,'sit','{"seat":1,"person":"boris","name":"Boris","nonce":"e588d12a5e2e2095","for_program":false}',1794789365880);
INSERT INTO "entries" VALUES('yA-8M9Xhmed2',3,'start','{}',1794789365880);
CREATE TABLE facts (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_facts PRIMARY KEY (name)
)
 WITHOUT ROWID

;
INSERT INTO "facts" VALUES('secret','9d4ea0edc2e1f566e4981c2792e35ae123dbafe9caa5d35f868f24e1d4c6fd15');
CREATE TABLE holders (
	person TEXT NOT NULL, 
	table_id TEXT NOT NULL, 
	seat INTEGER NOT NULL, 
	CONSTRAINT pk_holders PRIMARY KEY (person, table_id)
)
 WITHOUT ROWID

;
INSERT INTO "holders" VALUES('anna','FG94hPCFXK18',0);
INSERT INTO "holders" VALUES('anna','GJ5kqZwHYpT3',0);
INSERT INTO "holders" VALUES('anna','eRjq7j5GGtBj',0);
INSERT INTO "holders" VALUES('anna','gbIdJwAhupYW',0);
INSERT INTO "holders" VALUES('anna','vmeCvTMRvdhg',0);
INSERT INTO "holders" VALUES('anna','yA-8M9Xhmed2',0);
INSERT INTO "holders" VALUES('anna-phone','gbIdJwAhupYW',0);
INSERT INTO "holders" VALUES('boris','FG94hPCFXK18',1);
INSERT INTO "holders" VALUES('boris','eRjq7j5GGtBj',1);
INSERT INTO "holders" VALUES('boris','gbIdJwAhupYW',1);
INSERT INTO "holders" VALUES('boris','vmeCvTMRvdhg',1);
INSERT INTO "holders" VALUES('boris','yA-8M9Xhmed2',1);
CREATE TABLE tables (
	id TEXT NOT NULL, 
	game TEXT NOT NULL, 
	seats INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	is_open BOOLEAN NOT NULL, 
	actors INTEGER NOT NULL, 
	bot_turn BOOLEAN NOT NULL, 
	free INTEGER NOT NULL, 
	head INTEGER NOT NULL, 
	created BIGINT NOT NULL, 
	changed BIGINT NOT NULL, 
	CONSTRAINT pk_tables PRIMARY KEY (id)
)
 WITHOUT ROWID

;
INSERT INTO "tables" VALUES('FG94hPCFXK18','varvitikud',2,'playing',1,1,0,0,10,1794789366275,1794789366382);
INSERT INTO "tables" VALUES('GJ5kqZwHYpT3','matryoshka',3,'waiting',0,0,0,2,1,1794789366074,1794789366094);
INSERT INTO "tables" VALUES('LwzHrczsJuHP','memoarrrr',2,'over',0,0,0,0,0,1794789366390,1794789366390);
INSERT INTO "tables" VALUES('eRjq7j5GGtBj','memoarrrr',2,'over',1,0,0,0,21,1794789365666,1794789365894);
INSERT INTO "tables" VALUES('gbIdJwAhupYW','memoarrrr',2,'playing',1,2,0,0,15,1794789365232,1794789365655);
INSERT INTO "tables" VALUES('vmeCvTMRvdhg','babuschka',2,'playing',1,2,0,0,10,1794789364887,1794789364964);
INSERT INTO "tables" VALUES('yA-8M9Xhmed2','memoarrrr',2,'playing',1,2,0,0,3,1794789365880,1794789365880);
CREATE INDEX ix_tables_bot ON tables (status, changed) WHERE bot_turn;
CREATE INDEX ix_tables_status ON tables (status);
CREATE INDEX ix_tables_open ON tables (changed) WHERE is_open AND status <> 'over';
COMMIT;
