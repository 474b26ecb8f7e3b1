# What a coding agent may do. ralph tells it the task on its standard input.
cat > /dev/null
case $RALPH_ATTEMPT in
1) echo "Done. All tests pass." ;;
2)
    echo "I wrote it and made the tests pass."
    echo 'echo "Hello"' > greet.sh
    printf 'echo 1..2\necho "ok 1 - greets by name"\necho "ok 2 - refuses no name"\n' > tests/greet.sh
    ;;
*)
    echo "I read why it failed, and wrote what the tests ask for."
    cat > greet.sh <<'SCRIPT'
if [ $# -eq 0 ]; then
    echo "usage: greet.sh NAME" >&2
    exit 2
fi
echo "Hello, $1!"
SCRIPT
    ;;
esac
