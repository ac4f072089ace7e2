#compdef sonde
# Completion of sonde for zsh; made by 'sonde completion zsh'.
#
#   source <(sonde completion zsh)              in ~/.zshrc, behind compinit
#   sonde completion zsh > ~/.zfunc/_sonde      with fpath+=(~/.zfunc) before compinit

# @TABLE@
_sonde() {
    local command word value kind of_option program argument takes_program
    local -a options questions
    integer i first

    if (( CURRENT == 2 )); then
        _describe -t verbs 'verb' _sonde_verbs
        [[ $words[2] == -* ]] && compadd -- --help --version
        return
    fi
    command=$words[2]
    if [[ $command == help ]]; then
        (( CURRENT == 3 )) && _describe -t verbs 'verb' _sonde_verbs
        return
    fi
    _sonde_command "$command" || return 1
    i=3
    if (( CURRENT > 3 )) && [[ -n ${questions[(r)$words[3]:*]} ]]; then
        command+=" $words[3]"
        _sonde_command "$command"
        i=4
    fi

    # Where the word to complete stands: behind an option that wants a value, in a program's own words, or by itself.
    first=$i
    while (( i < CURRENT )); do
        word=$words[i]
        of_option=''
        if [[ $word == -- || ( -n $takes_program && ( $word != -* || $word == -[mc] || $word == - ) ) ]]; then
            program=$word
            break
        fi
        if [[ $word == -* && $word != *=* ]] && _sonde_value "$command" "$word"; then
            of_option=$word
            (( i += 1 ))
            (( i < CURRENT )) || break
            of_option=''
        fi
        (( i += 1 ))
    done

    if [[ -n $program ]]; then
        if [[ $program == -- && -n $takes_program ]]; then
            words=("${(@)words[i + 1, -1]}")
            (( CURRENT -= i ))
            _normal
        elif [[ $program == -[mc] && $(( i + 1 )) -eq $CURRENT ]]; then
            _message 'a module, or code'
        elif [[ $program == -- ]]; then
            _sonde_offer_kind "$argument"
        else
            _files # of a program's own words nothing is known
        fi
    elif [[ -n $of_option ]]; then
        _sonde_value "$command" "$of_option"
        _sonde_offer_kind "$kind"
    elif [[ $words[CURRENT] == --*=* ]] && _sonde_value "$command" "${words[CURRENT]%%=*}"; then
        compset -P 1 '*='
        _sonde_offer_kind "$kind"
    elif [[ $words[CURRENT] == -* ]]; then
        _describe -o -t options 'option' options
    else
        (( $#questions && i == first )) && _describe -t questions 'question' questions
        _sonde_offer_kind "$argument"
    fi
}

_sonde_offer_kind() {
    local -a of_kind=(${(s: :)1#*|})
    case $1 in
        words\|*) compadd -a of_kind ;;
        list\|*) compset -P '*,'; compadd -S ',' -q -a of_kind ;;
        profile) _files -g '*.sonde(-.)' ;;
        file) _files ;;
        folder) _files -/ ;;
        command) [[ -n $PREFIX ]] && _command_names; _files ;;
        process) _pids ;;
        free) _message 'a value' ;;
    esac
}

if [[ $funcstack[1] == _sonde ]]; then
    _sonde "$@"
else
    compdef _sonde sonde
fi
