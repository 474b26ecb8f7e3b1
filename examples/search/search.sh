#!/bin/sh
# Prints the names of the notes that contain a word.
[ -r "${NOTES:=notes}" ] || exit 2
grep -l -- "$1" "$NOTES"/*
