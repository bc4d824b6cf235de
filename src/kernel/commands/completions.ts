import type { Command, LineShape } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A command with what its line may hold. */
export interface Completed extends LineShape, Pick<Command, 'name' | 'summary'> {}

/** A script with which a shell completes commands, verbs and options; for everything else it offers files. */
export function toCompletions(shell: Shell, commands: readonly Completed[]): string {
  return `${{ bash: toBash, zsh: toZsh, fish: toFish }[shell](commands)}\n`;
}

const optionsOf = ({ options }: LineShape): readonly string[] =>
  Object.keys(options).map((name) => `--${name}`);

const namesOf = (commands: readonly Completed[]): string =>
  ['help', ...commands.map(({ name }) => name)].join(' ');

function toBash(commands: readonly Completed[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) options='${optionsOf(command).join(' ')}' verbs='${command.verbs.join(' ')}' ;;`,
  );
  return `_nestor() {
  local current=\${COMP_WORDS[COMP_CWORD]} options='--help --version' verbs='${namesOf(commands)}' at=1
  if [ "$COMP_CWORD" -gt 1 ]; then
    at=2 options='' verbs=''
    case \${COMP_WORDS[1]} in
    help) verbs='${namesOf(commands)}' ;;
${cases.join('\n')}
    esac
  fi
  local words=''
  case $current in
  -*) words=$options ;;
  *) [ "$COMP_CWORD" -eq "$at" ] && words=$verbs ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _nestor nestor`;
}

function toZsh(commands: readonly Completed[]): string {
  const summaries = commands.map(
    ({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  const cases = commands.map((command) => {
    const { name, verbs } = command;
    return `  ${name}) options=(${optionsOf(command).join(' ')}) verbs=(${verbs.join(' ')}) ;;`;
  });
  return `#compdef nestor
_nestor() {
  local -a commands options verbs
  commands=(
${summaries.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
  help) verbs=(${namesOf(commands)}) ;;
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $options
  elif (( CURRENT == 3 && $#verbs )); then
    compadd -- $verbs
  else
    _files
  fi
}
compdef _nestor nestor`;
}

function toFish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, summary, verbs, options }) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c nestor -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...(verbs.length === 0 ? [] : [`complete -c nestor ${seen} -a '${verbs.join(' ')}'`]),
      ...Object.entries(options).map(
        ([option, { type }]) => `complete -c nestor ${seen} -l ${option}${type === 'string' ? ' -r' : ''}`,
      ),
    ];
  });
  return lines.join('\n');
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
