# bash completion for roost                                            -*- shell-script -*-
# SPDX-License-Identifier: BSD-3-Clause
# What may follow is asked of the program, which knows its commands, its keys and, where a fabric is
# up, that fabric's names.

_roost()
{
	local current=${COMP_WORDS[COMP_CWORD]} joined="" word rest i
	local -a words=()

	# bash parts words at = and : too; the program does not.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ -n $joined && ($word == [=:]* || $joined == *[=:]) ]]; then
			joined+=$word
			words[${#words[@]}-1]=$joined
		else
			joined=$word
			words+=("$word")
		fi
	done
	[[ $current == [=:] ]] && current=""
	joined=${words[${#words[@]}-1]%"$current"}

	COMPREPLY=()
	while IFS=$'\t' read -r word rest; do
		case $word in
		:files)
			compopt -o filenames
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
			;;
		:directories)
			compopt -o filenames
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current")
			;;
		*)
			[[ $word == *. ]] && compopt -o nospace
			COMPREPLY+=("${word#"$joined"}")
			;;
		esac
	done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null)
}

complete -F _roost roost
