// The shells' side of completion: they hand the words to `tandem __complete` and show what it prints.

type Script = (program: string) => string;

/** Readline cuts words at `=` and `:` too; the words are put together again as the line has them. */
const bash: Script = (program) => `# bash completion for ${program}
_${program}_complete() {
  local IFS=$'\\n' line="\${COMP_LINE:0:COMP_POINT}" piece word="" current reply i
  local -a words=() candidates=() paths=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece="\${COMP_WORDS[i]}"
    if [[ "$line" == [[:space:]]* ]]; then
      words+=("$word")
      word=""
      line="\${line#"\${line%%[![:space:]]*}"}"
    fi
    # The last piece ends at the cursor.
    [[ "$line" == "$piece"* ]] || piece="$line"
    word+="$piece"
    line="\${line:\${#piece}}"
  done
  current="$word"
  words+=("$word")
  mapfile -t candidates < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
  ((\${#candidates[@]} > 0)) || return 0
  reply="\${candidates[-1]}"
  unset 'candidates[-1]'
  # Only what follows the last cut is replaced.
  local kept="\${current%"\${current##*[=:]}"}"
  for piece in "\${candidates[@]}"; do
    piece="\${piece%%$'\\t'*}"
    COMPREPLY+=("\${piece#"$kept"}")
  done
  case "$reply" in
    :files) paths=(compgen -f) ;;
    :directories) paths=(compgen -d) ;;
  esac
  if ((\${#paths[@]} > 0)); then
    compopt -o filenames
    mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <("\${paths[@]}" -- "\${current#"$kept"}")
  fi
  if ((\${#COMPREPLY[@]} == 1)) && [[ "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace; fi
} 2>/dev/null
complete -F _${program}_complete ${program}
`;

const zsh: Script = (program) => `#compdef ${program}
_${program}() {
  local line text help reply
  local -a described assigned
  while IFS= read -r line; do
    if [[ "$line" == :* ]]; then
      reply="$line"
      continue
    fi
    text="\${line%%$'\\t'*}"
    help="\${line#*$'\\t'}"
    if [[ "$text" == *= ]]; then
      assigned+=("\${text//:/\\\\:}:$help")
    else
      described+=("\${text//:/\\\\:}:$help")
    fi
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  ((\${#described})) && _describe '${program}' described
  ((\${#assigned})) && _describe '${program}' assigned -S ''
  [[ "$PREFIX" == *=* ]] && compset -P '*='
  case "$reply" in
    :files) _files ;;
    :directories) _files -/ ;;
  esac
}
if [[ "\${funcstack[1]}" == "_${program}" ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;

const fish: Script = (program) => `# fish completion for ${program}
function __${program}_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    test (count $lines) -gt 0; or return
    if test (count $lines) -gt 1
        printf '%s\\n' $lines[1..-2]
    end
    set -l typed (string replace -r '^.*=' '' -- $words[-1])
    set -l kept (string sub -l (math (string length -- $words[-1]) - (string length -- $typed)) -- $words[-1])
    switch $lines[-1]
        case :files
            __fish_complete_path "$typed" | string replace -r '^' -- "$kept"
        case :directories
            __fish_complete_directories "$typed" '' | string replace -r '^' -- "$kept"
    end
end
complete -c ${program} -f -a '(__${program}_complete)'
`;

export const completionScripts: Readonly<Record<"bash" | "zsh" | "fish", Script>> = {
  bash,
  zsh,
  fish,
};
