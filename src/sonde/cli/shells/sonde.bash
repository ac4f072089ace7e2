# Completion of sonde for bash; made by 'sonde completion bash'.
#
#   source <(sonde completion bash)                                                for this shell
#   sonde completion bash > ~/.local/share/bash-completion/completions/sonde       for all, with bash-completion

# @TABLE@
_sonde() {
    local line=${COMP_LINE:0:COMP_POINT} words cur command i word program='' kind='free' of_option=''
    read -ra words <<<"$line"
    # A blank at the end begins another word.
    [[ $line == *[[:space:]] || ${#words[@]} -lt 2 ]] && words+=('')
    cur=${words[-1]}
    COMPREPLY=()

    if ((${#words[@]} == 2)); then
        _sonde_offer "$_sonde_verbs help --help --version"
        return
    fi
    command=${words[1]}
    if [[ $command == help ]]; then
        ((${#words[@]} == 3)) && _sonde_offer "$_sonde_verbs"
        compopt +o default +o bashdefault
        return
    fi
    local options questions argument takes_program
    _sonde_command "$command" || { compopt +o default +o bashdefault; return; }
    i=2
    if [[ " $questions " == *" ${words[2]} "* ]] && ((${#words[@]} > 3)); then
        command+=" ${words[2]}"
        _sonde_command "$command"
        i=3
    fi

    # Where the word to complete stands: behind an option that wants a value, in a program's own words, or by itself.
    local first=$i
    for (( ; i < ${#words[@]} - 1; i++)); do
        word=${words[i]}
        of_option=''
        if [[ -n $takes_program && ($word != -* || $word == -[mc-] || $word == -) || $word == -- ]]; then
            program=$word
            break
        fi
        if [[ $word == -* && $word != *=* ]] && _sonde_value "$command" "$word"; then
            of_option=$word
            ((++i < ${#words[@]} - 1)) || break
            of_option=''
        fi
    done

    if [[ -n $program ]]; then
        if [[ $program == -- && -n $takes_program ]]; then
            _sonde_other_command
        elif [[ $program == -[mc] && $((i + 2)) -eq ${#words[@]} ]]; then
            compopt +o default +o bashdefault # a module, or code
        elif [[ $program == -- ]]; then
            _sonde_offer_kind "$argument"
        fi
        return # of a program's own words nothing is known: files
    fi
    if [[ -n $of_option ]]; then
        _sonde_value "$command" "$of_option"
        _sonde_offer_kind "$kind"
    elif [[ $cur == --*=* ]] && _sonde_value "$command" "${cur%%=*}"; then
        cur=${cur#*=}
        _sonde_offer_kind "$kind"
    elif [[ $cur == -* ]]; then
        _sonde_offer "$options"
    else
        [[ -n $questions && $i -eq $first ]] && _sonde_offer "$questions"
        _sonde_offer_kind "$argument"
    fi
}

# Offers words that begin as the current one; readline replaces only what stands behind the last = or :.
_sonde_offer() {
    local word mine=$cur stem
    stem=${mine%"${mine##*[=:]}"}
    for word in $1; do
        [[ $word == "$mine"* ]] && COMPREPLY+=("${word#"$stem"}")
    done
}

_sonde_offer_kind() {
    local words_of_kind=${1#*|} word
    case $1 in
        words\|*) _sonde_offer "$words_of_kind"; compopt +o default +o bashdefault ;;
        list\|*)
            local before=''
            [[ $cur == *,* ]] && before=${cur%,*},
            for word in $words_of_kind; do
                [[ ,$before != *",$word,"* ]] && _sonde_offer "$before$word"
            done
            compopt -o nospace +o default +o bashdefault
            ;;
        profile)
            local IFS=$'\n'
            compopt -o filenames
            # shellcheck disable=SC2207 # one in a line
            COMPREPLY+=($(compgen -f -X '!*.sonde' -- "$cur") $(compgen -d -- "$cur"))
            ;;
        folder)
            local IFS=$'\n'
            compopt -o filenames
            # shellcheck disable=SC2207
            COMPREPLY+=($(compgen -d -- "$cur"))
            ;;
        command)
            [[ -n $cur ]] || return # of all commands there are too many
            local IFS=$'\n'
            # shellcheck disable=SC2207
            COMPREPLY+=($(compgen -c -- "$cur"))
            ;;
        process)
            _sonde_offer "$(pgrep python 2>/dev/null)"
            compopt +o default +o bashdefault
            ;;
        free) compopt +o default +o bashdefault ;;
    esac
}

# Behind '--' another command is completed in its own way, where bash-completion is there to do it.
_sonde_other_command() {
    local at
    for ((at = 2; at < COMP_CWORD; at++)); do
        [[ ${COMP_WORDS[at]} == -- ]] && break
    done
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset $((at + 1))
    elif declare -F _command_offset >/dev/null; then
        _command_offset $((at + 1))
    elif ((at + 1 == COMP_CWORD)); then
        _sonde_offer_kind command
    fi
}

complete -o bashdefault -o default -F _sonde sonde
