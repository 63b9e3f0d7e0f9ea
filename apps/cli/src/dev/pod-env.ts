/** The variables of the operator's pods in `capstan dev`: those with a value are set, the others are named. */

/** The declared parts of a pod that a process on this machine lacks. */
export interface DeclaredPod {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly mountPath: string }[];
}

/** The variables to set, and a line for each thing that only a pod has. Variables that are set already win. */
export function podEnvironment(
  { env = [], volumeMounts = [] }: DeclaredPod,
  present: { readonly [name: string]: string | undefined },
): { readonly set: { readonly [name: string]: string }; readonly notes: readonly string[] } {
  const missing = env.filter(({ name }) => present[name] === undefined);
  const values = missing.flatMap(({ name, value }) => (value === undefined ? [] : [[name, expand(value)] as const]));
  const named = missing.filter(({ value }) => value === undefined).map(({ name }) => name);
  const paths = volumeMounts.map(({ mountPath }) => mountPath);
  return {
    set: Object.fromEntries(values),
    notes: [
      ...(named.length === 0 ? [] : [`not set, as only a pod has it: ${named.join(", ")}; write a value into .env`]),
      ...(paths.length === 0 ? [] : [`not mounted, as only a pod has it: ${paths.join(", ")}`]),
    ],
  };

  /** `$(NAME)` is the value of another variable, as in a container; an unknown name stays as it is. */
  function expand(value: string): string {
    return value.replaceAll(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/gu, (text, name: string | undefined) => {
      if (name === undefined) return "$";
      const at = env.findIndex((other) => other.name === name);
      const other = at < 0 ? undefined : env[at]?.value;
      return present[name] ?? (other === undefined || other === value ? text : other);
    });
  }
}
