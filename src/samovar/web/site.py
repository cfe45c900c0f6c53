"""How a site is run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

AWAY_SECONDS = 120.0  # without a sign of life; streams and pages give one every few seconds


@dataclass(frozen=True)
class Site:
    """How a site is run."""

    database: str
    secret: bytes  # 32 bytes, the same in all processes of a site
    lan_address: str = ""  # where friends find it
    public_url: str = ""  # where everybody finds it, if it has a name
    certificate: str = ""  # the file of its own one, with the key: then the site speaks HTTPS by itself
    proxies: tuple[str, ...] = ()  # addresses and networks that may say for whom they ask
    connections_per_address: int = 200  # open at a time, in one process, 0: as many as they like
    streams_per_address: int = 60  # open at a time, 0: as many as they like
    open_metrics: bool = False  # for everybody, not only for this machine
    requests_per_minute: int = 1200  # from one address, 0: as many as they like
    tables_per_minute: int = 30
    bot_pause: float = 0.6  # seconds a bot's move takes at least, so that people can follow
    away_seconds: float = AWAY_SECONDS  # after which a bot may play for somebody who gives no sign of life
    bot_processes: int | None = None
    compiling: str = ""  # a file by which several processes of this site agree who compiles
    figures: str = ""  # a folder in which they count
    began: float = field(default_factory=time.time)  # when the site was started, in seconds since 1970
    log_level: str = "info"
    log_format: str = "text"
    mail_server: str = ""  # smtp://NAME:PASSWORD@HOST, for letters; it needs `public_url`
    mail_sender: str = ""
    contact: str = ""  # of the owner, for push services: mailto: or https:
    call_private: bool = False  # also at addresses in the site's own network
    entry: str = "open"  # to everybody; or "invited", or by "header"
    identity_header: str = ""  # by which a proxy says who somebody is
    guests: bool = False  # a table's link lets in whoever has it, at that table
    lab_for: str = "here"  # whoever sits at this machine; or everybody, or nobody

    @property
    def is_secure(self) -> bool:
        """Browsers reach it by HTTPS, so nothing need travel otherwise."""
        return bool(self.certificate) or self.public_url.startswith("https:")
