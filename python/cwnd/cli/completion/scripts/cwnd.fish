# Completion of cwnd in fish: cwnd completion fish >~/.config/fish/completions/cwnd.fish
function __cwnd_complete
    set -l words (commandline -opc)
    set -l current (string unescape -- (commandline -ct); or commandline -ct)
    $words[1] --no-defaults complete fish -- $words[2..-1] "$current" 2>/dev/null | while read -l -d \t kind value help
        switch $kind
            case word part
                printf '%s\t%s\n' $value $help
            case file
                __fish_complete_path $current
            case folder
                __fish_complete_directories $current
            case command
                __fish_complete_command
        end
    end
end
complete -c cwnd -f -a '(__cwnd_complete)'
