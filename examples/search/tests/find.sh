test "$(sh search.sh apples)" = notes/monday && echo 'ok 1 - a_word_is_found'
sh search.sh plums || echo 'ok 2 - an_unknown_word_is_not_found'
echo 1..2
