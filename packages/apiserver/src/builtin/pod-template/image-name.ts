/** Image references, parsed as the distribution library does; only tag and digest matter here. */

const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const referencePattern = new RegExp(
  `^(${domain}/${pathPart}(?:/${pathPart})*)(?::(\\w[\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
const maxRepositoryLength = 255;
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** The tag and digest of an image. */
export interface ImageName {
  /** `latest` if neither tag nor digest is given, empty if only a digest is. */
  readonly tag: string;
  readonly digest: string;
}

/** Parses a reference; `undefined` if it is invalid. */
export function parseImageName(image: string): ImageName | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const [host, remainder] = splitDomain(image);
  const [remoteName = ""] = remainder.split(":", 1);
  if (remoteName.toLowerCase() !== remoteName) return undefined;
  const match = referencePattern.exec(`${host}/${remainder}`);
  if (match === null) return undefined;
  const [, repository = "", tag = "", digest = ""] = match;
  if (repository.length > maxRepositoryLength || !isDigest(digest)) return undefined;
  return { tag: tag === "" && digest === "" ? "latest" : tag, digest };
}

/** The first segment is a host if it looks like one; otherwise the image is on the default registry. */
function splitDomain(image: string): [host: string, remainder: string] {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isHost = slash !== -1 && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  const host = isHost && first !== "index.docker.io" ? first : "docker.io";
  const remainder = isHost ? image.slice(slash + 1) : image;
  return [host, host === "docker.io" && !remainder.includes("/") ? `library/${remainder}` : remainder];
}

function isDigest(digest: string): boolean {
  if (digest === "") return true;
  const [algorithm = "", hex = ""] = digest.split(":", 2);
  return digestLengths[algorithm] === hex.length && /^[a-f0-9]+$/.test(hex);
}

/** The default pull policy: the tag `latest` is always pulled. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return parseImageName(image)?.tag === "latest" ? "Always" : "IfNotPresent";
}
