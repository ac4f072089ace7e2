# Completion of sonde for fish; made by 'sonde completion fish'.
#
#   sonde completion fish | source                                       in ~/.config/fish/config.fish
#   sonde completion fish > ~/.config/fish/completions/sonde.fish        once

# @TABLE@
function __sonde_complete
    set -l cur (commandline -ct)
    set -l words (commandline -opc)[2..]
    if test (count $words) -eq 0
        __sonde_verbs
        printf '%s\n' --help --version
        return
    end
    set -l verb $words[1]
    if test $verb = help
        test (count $words) -eq 1; and __sonde_verbs
        return
    end
    set -l command $verb
    set -l i 2
    if set -q words[2]; and contains -- $words[2] (__sonde_questions $verb | string replace -r '\t.*' '')
        set command "$verb $words[2]"
        set i 3
    end
    set -l takes_program (__sonde_takes_program $command)
    set -l argument (__sonde_argument $command)

    # Where the word to complete stands: behind an option that wants a value, in a program's own words, or by itself.
    set -l first $i
    while test $i -le (count $words)
        set -l word $words[$i]
        if test "$word" = --; or begin
                test -n "$takes_program"; and begin
                    not string match -q -- '-*' $word; or contains -- $word -m -c -
                end
            end
            __sonde_of_program "$takes_program" "$argument" $cur $words[$i..]
            return
        end
        set i (math $i + 1)
        if string match -q -- '-*' $word; and not string match -q -- '*=*' $word
            set -l kind (__sonde_value "$command|$word")
            if test -n "$kind"
                if test $i -gt (count $words)
                    __sonde_offer_kind $kind $cur
                    return
                end
                set i (math $i + 1)
            end
        end
    end

    if string match -q -- '--*=*' $cur
        set -l parts (string split -m 1 = -- $cur)
        set -l kind (__sonde_value "$command|$parts[1]")
        test -n "$kind"; and __sonde_offer_kind $kind "$parts[2]" | string replace -r '^' -- "$parts[1]="
        return
    end
    if string match -q -- '-*' $cur
        __sonde_options $command
        return
    end
    test $i -eq $first; and __sonde_questions $command
    __sonde_offer_kind "$argument" $cur
end

# Behind '--' another command is completed in its own way; of the words of a script or module nothing is known: files.
function __sonde_of_program -a takes_program argument cur begin
    set -l rest $argv[5..]
    if test "$begin" = --
        if test -n "$takes_program"
            complete -C (string join ' ' -- (string escape -- $rest) $cur)
        else
            __sonde_offer_kind "$argument" $cur
        end
    else if not contains -- $begin -m -c; or test (count $rest) -gt 0
        __fish_complete_path $cur
    end
end

function __sonde_offer_kind -a kind cur
    set -l parts (string split -m 1 '|' -- $kind)
    switch $parts[1]
        case words
            string split ' ' -- $parts[2]
        case list
            set -l before (string match -r '^.*,' -- $cur)
            for word in (string split ' ' -- $parts[2])
                contains -- $word (string split , -- "$before"); or echo $before$word
            end
        case profile
            __fish_complete_suffix "$cur" .sonde
        case file
            __fish_complete_path "$cur"
        case folder
            __fish_complete_directories "$cur"
        case command
            test -n "$cur"; and complete -C "$cur"
        case process
            __fish_complete_pids
    end
end

complete -c sonde -f -k -a '(__sonde_complete)'
