/** `capstan completion`: prints the completion script of a shell. The script calls the command for the candidates. */
import { type Command, defineCommand } from "../command/define.ts";
import { suggest } from "../command/suggest.ts";
import { CliError } from "../errors.ts";

const scripts: { readonly [shell: string]: string } = {
  bash: `_capstan() {
  local IFS=$'\\n'
  COMPREPLY=($(capstan __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _capstan capstan
`,
  zsh: `#compdef capstan
_capstan() {
  local -a found
  found=(\${(f)"$(capstan __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if [ "$funcstack[1]" = "_capstan" ]; then _capstan "$@"; else compdef _capstan capstan; fi
`,
  fish: `function __capstan_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (capstan __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c capstan -f -a '(__capstan_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName capstan -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') {
    # Shells before 7.3 drop empty words unless they are quoted once more.
    if ($PSVersionTable.PSVersion -lt [version]'7.3') { $words += '""' } else { $words += '' }
  }
  capstan __complete @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
};

/** The script of a shell. */
export const completion: Command = defineCommand({
  arguments: [{ name: "SHELL", describe: Object.keys(scripts).join(", "), presence: "required" }],
  options: {},
  examples: [
    { line: "source <(capstan completion bash)", does: "Complete in this bash" },
    { line: 'capstan completion zsh > "${fpath[1]}/_capstan"', does: "Complete in every new zsh" },
    { line: "capstan completion fish | source", does: "Complete in this fish" },
    { line: "capstan completion powershell | Out-String | Invoke-Expression", does: "Complete in this PowerShell" },
  ],
  complete: async () => Object.keys(scripts),
  run: async ({ args: [shell = ""], terminal }) => {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) {
      const known = Object.keys(scripts);
      throw new CliError(
        "Usage",
        `no completion for ${JSON.stringify(shell)}${suggest(shell, known)}; there is ${known.join(", ")}`,
      );
    }
    terminal.out(script);
  },
});
