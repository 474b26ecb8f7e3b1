# Tests in TAP, the Test Anything Protocol.
echo 1..2
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; failed=1; fi; }
check "1 - greets by name" "$(sh greet.sh Ada 2>&1)" "Hello, Ada!"
sh greet.sh > /dev/null 2>&1
check "2 - refuses no name" "$?" 2
exit ${failed:-0}
