#!/bin/sh
# A bot in a few lines of shell: always the first legal move.
while read -r line; do
    case $line in
    *'"type": "hello"'*) echo '{"type": "ready"}' ;;
    *'"type": "ask"'*)
        move=$(printf '%s\n' "$line" | sed 's/.*"legal": \[{"move": \([0-9]*\).*/\1/')
        echo '{"type": "move", "move": '"$move"'}'
        ;;
    *'"type": "quit"'*) exit ;;
    esac
done
