NOTES=missing sh search.sh apples
test $? = 2 && echo 'ok 1 - a_missing_folder_is_an_error'
echo 1..1
