/** Expands `$(NAME)` in commands, arguments and values, as Kubernetes defines it. Pure. */

/** The text with every known reference replaced. `$$` is a dollar sign; unknown references stay as they are. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, what: string, name: string | undefined) => {
    if (what === "$") return "$";
    return variables.get(name ?? "") ?? whole;
  });
}
