# Completion of cwnd in bash 4.4 or newer: cwnd completion bash >~/.local/share/bash-completion/completions/cwnd
_cwnd() {
    local kind value program=${1/#\~/$HOME}
    local -a paths
    COMPREPLY=()
    while IFS=$'\t' read -r kind value _; do
        case $kind in
            word) COMPREPLY+=("$value") ;;
            part) COMPREPLY+=("$value") && compopt -o nospace ;;
            file | folder | command)
                mapfile -t paths < <(compgen -A "${kind/folder/directory}" -- "$2")
                # Names are quoted, and folders end with a slash, where all that is offered are paths; beside words they are quoted here.
                if [ "$kind" != command ] && [ ${#COMPREPLY[@]} = 0 ]; then
                    compopt -o filenames
                elif [ ${#paths[@]} != 0 ]; then
                    mapfile -t paths < <(printf '%q\n' "${paths[@]}")
                fi
                COMPREPLY+=("${paths[@]}")
                ;;
        esac
    done < <("$program" --no-defaults complete bash -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
}
complete -F _cwnd cwnd
