# Completion of ax for fish: `ax completion fish` prints it.
function __ax_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case :commands
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c ax -f -a '(__ax_complete)'
