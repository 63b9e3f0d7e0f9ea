/** A Memcached in one line, for users that watch it start. */

interface Seen {
  readonly spec?: { readonly size: number };
  readonly status?: {
    readonly nodes?: readonly string[];
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

export function describeMemcached({ spec, status }: Seen): { readonly line: string; readonly available: boolean } {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  const size = spec?.size ?? 0;
  const bar = "#".repeat(status?.nodes?.length ?? 0).padEnd(size, ".");
  if (condition === undefined)
    return { line: `memcached/cache  [${bar}]  the operator has not seen it yet`, available: false };
  const available = condition.status === "True";
  return { line: `memcached/cache  [${bar}]  ${available ? "Available" : "not yet"}: ${condition.message}`, available };
}
