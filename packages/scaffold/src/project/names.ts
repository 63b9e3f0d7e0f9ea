/** Names of projects, groups and kinds: checked once, and written the way each place wants them. */
import { checkDns1123Label, checkDns1123Subdomain } from "@capstan/model";
import { ScaffoldError } from "../errors.ts";

/** A kind's name in the forms that a project needs. */
export interface Words {
  /** `AppService` */
  readonly kind: string;
  /** `appService`, for values */
  readonly value: string;
  /** `app-service`, for files */
  readonly file: string;
  /** `appservice`, as Kubernetes writes the singular */
  readonly lower: string;
  /** `appservices` */
  readonly plural: string;
}

/** Reserved words of TypeScript, and names that generated files import. */
const taken: ReadonlySet<string> = new Set(
  (
    "app await break case catch class const continue controller debugger default defineResource delete do else enum export extends " +
    "false finally for function if implements import in instanceof interface let new null operator package private protected public " +
    "return s spec static status super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/** The forms of a kind's name. */
export function wordsOf(kind: string, plural?: string): Words {
  const file = kind
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
  const [head = "", ...tail] = file.split("-");
  const value = head + tail.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
  const lower = kind.toLowerCase();
  return {
    kind,
    value: taken.has(value) ? `${value}Controller` : value,
    file,
    lower,
    plural: plural ?? pluralOf(lower),
  };
}

/** The plural that Kubernetes' own tools guess. */
export function pluralOf(singular: string): string {
  if (singular === "endpoints") return singular;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/** Rejects a project name that is invalid in generated names. */
export function checkProjectName(name: string): void {
  const [problem] = checkDns1123Label(name);
  if (problem !== undefined || name.length > 50) {
    throw bad(
      `"${name}" cannot name a project: use up to 50 lower-case letters, digits and dashes, as in memcached-operator`,
    );
  }
}

/** Refuses a domain that cannot end the name of a group. */
export function checkDomain(domain: string): void {
  if (checkDns1123Subdomain(domain).length > 0)
    throw bad(`"${domain}" is not a domain: write something like example.com`);
}

/** Refuses a group that no CRD can have. */
export function checkGroup(group: string): void {
  if (checkDns1123Subdomain(group).length > 0 || !group.includes(".")) {
    throw bad(`"${group}" is not a group: write a domain name in lower case, like cache.example.com`);
  }
}

/** Refuses a version that Kubernetes does not sort. */
export function checkVersion(version: string): void {
  if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version)) {
    throw bad(`"${version}" is not a version: write v1, v1beta1 or v1alpha1`);
  }
}

/** Refuses a kind that is not one word in PascalCase. */
export function checkKind(kind: string): void {
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) {
    throw bad(`"${kind}" is not a kind: write one word that begins with a capital letter, like Memcached`);
  }
  if (kind === "Kind" || kind === "List")
    throw bad(`"${kind}" means something else in Kubernetes: choose another kind`);
}

/** Rejects a plural that is invalid in a path. */
export function checkPlural(plural: string): void {
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(plural))
    throw bad(`"${plural}" is not a plural: write it in lower case`);
}

/** Rejects a controller name that is invalid in metrics and field managers. */
export function checkControllerName(name: string): void {
  if (checkDns1123Label(name).length > 0)
    throw bad(`"${name}" cannot name a controller: use lower-case letters, digits and dashes`);
}

/** Refuses a path at which no webhook can be answered. */
export function checkPath(path: string): void {
  if (!/^\/[\w.~/-]+$/.test(path))
    throw bad(`"${path}" is not the path of a webhook: write one like /validate-widgets`);
}

function bad(message: string): ScaffoldError {
  return new ScaffoldError("BadName", message);
}
