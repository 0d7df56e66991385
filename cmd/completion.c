#include "cmd/commands.h"

#include <string.h>

/* The shells know nothing but how to ask `ax __complete`. */

static const char bash_text[] =
    "# Completion of ax for bash: `ax completion bash` prints it.\n"
    "_ax() {\n"
    "    local line\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :files) compopt -o filenames; mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- "
    "\"${COMP_WORDS[COMP_CWORD]#=}\") ;;\n"
    "        :folders) compopt -o filenames; mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- "
    "\"${COMP_WORDS[COMP_CWORD]#=}\") ;;\n"
    "        :commands) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -c -- \"${COMP_WORDS[COMP_CWORD]}\") "
    ";;\n"
    "        *)\n"
    "            printf -v line %q \"${line%%$'\\t'*}\"\n"
    "            COMPREPLY+=(\"$line\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _ax ax\n";

static const char zsh_text[] =
    "#compdef ax\n"
    "# Completion of ax for zsh: `ax completion zsh` prints it.\n"
    "_ax() {\n"
    "    local line name\n"
    "    local -a names shown\n"
    "    for line in \"${(@f)$(\"${words[1]}\" __complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "        :files) _files ;;\n"
    "        :folders) _files -/ ;;\n"
    "        :commands) _command_names -e ;;\n"
    "        '') ;;\n"
    "        *)\n"
    "            name=${line%%$'\\t'*}\n"
    "            names+=(\"$name\")\n"
    "            [[ $line = *$'\\t'* ]] && shown+=(\"$name -- ${line#*$'\\t'}\") || shown+=(\"$name\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ${#names} )) && compadd -l -d shown -a names\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _ax ]; then _ax \"$@\"; else compdef _ax ax; fi\n";

static const char fish_text[] = "# Completion of ax for fish: `ax completion fish` prints it.\n"
                                "function __ax_complete\n"
                                "    set -l words (commandline -opc) (commandline -ct)\n"
                                "    for line in (command $words[1] __complete $words[2..-1] 2>/dev/null)\n"
                                "        switch $line\n"
                                "            case :files\n"
                                "                __fish_complete_path (commandline -ct)\n"
                                "            case :folders\n"
                                "                __fish_complete_directories (commandline -ct)\n"
                                "            case :commands\n"
                                "                __fish_complete_command\n"
                                "            case '*'\n"
                                "                echo $line\n"
                                "        end\n"
                                "    end\n"
                                "end\n"
                                "complete -c ax -f -a '(__ax_complete)'\n";

struct completion {
    struct common common;
};
static const struct option_row completion_options[] = {COMMAND_OPTIONS, {0}};

static int completion_run(const struct command *self, int argc, char **argv)
{
    static const struct {
        const char *shell, *text;
    } rows[] = {{"bash", bash_text}, {"zsh", zsh_text}, {"fish", fish_text}};
    struct completion o = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    for (size_t i = 0; argc - first == 1 && i < sizeof rows / sizeof *rows; i++) {
        struct buf b = {0};
        if (strcmp(argv[first], rows[i].shell) != 0)
            continue;
        buf_text(&b, rows[i].text);
        command_print(self, &b);
        buf_clear(&b);
        return ERROR_NONE;
    }
    return command_usage_error(self, "takes a shell: bash, zsh or fish");
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print what makes a shell complete the words of ax",
    .usage = "bash|zsh|fish",
    .about = "bash: . <(ax completion bash), in ~/.bashrc to stay. zsh: put it into a file _ax\n"
             "in a folder of $fpath. fish: ~/.config/fish/completions/ax.fish. An installed ax\n"
             "has put them where the shells look already.",
    .options = completion_options,
    .run = completion_run,
};
