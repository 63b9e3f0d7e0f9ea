/** Checks image references, with the messages of the reference grammar. */

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const host = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `${host}(?:\\.${host})*(?::[0-9]+)?`;
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const path = `${component}(?:/${component})*`;
const reference = new RegExp(`^((?:${domain}/)?(${path}))(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`, "u");
const digestLengths: { readonly [algorithm: string]: number } = { sha256: 64, sha384: 96, sha512: 128 };

/** The problem of a reference, if any. */
export function referenceProblem(text: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(text))
    return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  const [registry, rest] = splitDomain(text);
  const name = rest.split(":", 1)[0] ?? "";
  if (name !== name.toLowerCase()) return "invalid reference format: repository name must be lowercase";
  const match = reference.exec(`${registry}/${rest}`);
  if (match === null)
    return reference.test(`${registry}/${rest}`.toLowerCase())
      ? "repository name must be lowercase"
      : "invalid reference format";
  const [, , repository = "", , digestText] = match;
  if (repository.length > 255) return "repository name must not be more than 255 characters";
  return digestText === undefined ? undefined : digestProblem(digestText);
}

/** A first part with a dot or a colon is a registry; without one, the usual registry is meant. */
function splitDomain(text: string): readonly [string, string] {
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(0, slash));
  const isDomain = slash !== -1 && (/[.:]/.test(first) || first === "localhost");
  const [registry, rest] = isDomain ? [first, text.slice(slash + 1)] : ["docker.io", text];
  const usual = registry === "index.docker.io" ? "docker.io" : registry;
  return [usual, usual === "docker.io" && !rest.includes("/") ? `library/${rest}` : rest];
}

function digestProblem(text: string): string | undefined {
  const [algorithm = "", hex = ""] = text.split(":");
  const length = digestLengths[algorithm];
  if (length === undefined) return "unsupported digest algorithm";
  if (hex.length !== length) return "invalid checksum digest length";
  return /^[a-f0-9]+$/.test(hex) ? undefined : "invalid checksum digest format";
}
