/** Parses the authentication challenge of a registry. */

export type Challenge =
  | { readonly scheme: "basic" }
  | {
      readonly scheme: "bearer";
      readonly realm: string;
      readonly service: string | undefined;
      readonly scope: string | undefined;
    };

/** Longer ones are rejected: the expressions below take quadratic time. */
const longestHeader = 4096;

/** Parses the header of a 401 response: `Bearer realm="…",service="…",scope="…"` or `Basic realm="…"`. */
export function parseChallenge(header: string): Challenge | undefined {
  if (header.length > longestHeader) return undefined;
  const scheme = /^\s*(\w+)/.exec(header)?.[1]?.toLowerCase();
  const parameters = new Map(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key.toLowerCase(), value]),
  );
  if (scheme === "basic") return { scheme: "basic" };
  const realm = parameters.get("realm");
  if (scheme !== "bearer" || realm === undefined) return undefined;
  return { scheme: "bearer", realm, service: parameters.get("service"), scope: parameters.get("scope") };
}
