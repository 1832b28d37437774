# bash completion for scrubjay
_scrubjay() {
    local candidates
    COMPREPLY=()
    # A word with a colon or an equals sign is several words to bash; the program gets the line as typed.
    candidates=$("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
    while IFS= read -r candidate; do
        [[ -n $candidate && $candidate != "@files" ]] && COMPREPLY+=("$(printf '%q' "$candidate")")
    done <<< "$candidates"
    if [[ $candidates == *@files* ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r candidate; do
            COMPREPLY+=("$candidate")
        done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    fi
}
complete -F _scrubjay scrubjay
