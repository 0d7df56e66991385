# Completion of ax for bash: `ax completion bash` prints it.
_ax() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}") ;;
        :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${COMP_WORDS[COMP_CWORD]#=}") ;;
        :commands) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}") ;;
        *)
            printf -v line %q "${line%%$'\t'*}"
            COMPREPLY+=("$line") ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ax ax
