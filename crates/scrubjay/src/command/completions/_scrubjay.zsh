#compdef scrubjay
_scrubjay() {
    local -a candidates
    local line value about files=0
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        about=${line#*$'\t'}
        if [[ $value == "@files" ]]; then
            files=1
        else
            candidates+=("${value//:/\\:}:$about")
        fi
    done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#candidates} )) && _describe 'scrubjay' candidates
    (( files )) && _files
}
if [[ $funcstack[1] == _scrubjay ]]; then
    _scrubjay "$@"
else
    compdef _scrubjay scrubjay
fi
