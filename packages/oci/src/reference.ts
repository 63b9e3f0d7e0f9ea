/** Image references as users type them: `memcached`, `localhost:5000/app:v1`, `registry.example.com/a/b@sha256:…`. */
import { isDigest } from "./digest.ts";
import { OciError } from "./errors.ts";

/** The location of an image: a registry, a repository in it, and a tag or a digest. */
export interface Reference {
  /** Host and port. Default: `docker.io`. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const repositoryPattern = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;

/** Parses a reference by Docker's rules. */
export function parseReference(text: string): Reference {
  const { name, digest } = splitDigest(text);
  const { registry, rest } = splitRegistry(name);
  const { path, tag } = splitTag(rest);
  if (!repositoryPattern.test(path))
    throw bad(text, "a repository has lower-case letters, digits and single separators");
  if (tag !== undefined && !tagPattern.test(tag))
    throw bad(text, "a tag has letters, digits, dots and dashes, at most 128");
  const repository = registry === dockerHub && !path.includes("/") ? `library/${path}` : path;
  return { registry, repository, tag: tag ?? (digest === undefined ? "latest" : undefined), digest };
}

const dockerHub = "docker.io";

function splitDigest(text: string): { readonly name: string; readonly digest: string | undefined } {
  const [name = "", digest, ...more] = text.split("@");
  const wrong = more.length > 0 || (digest !== undefined && !isDigest(digest));
  if (wrong) throw bad(text, "its digest is not sha256:<64 hex digits>");
  return { name, digest };
}

/** The first part is a registry if it has a dot, a colon or a capital letter, or is `localhost`. */
function splitRegistry(name: string): { readonly registry: string; readonly rest: string } {
  const slash = name.indexOf("/");
  const first = slash === -1 ? "" : name.slice(0, slash);
  if (first !== "localhost" && !/[.:A-Z]/.test(first)) return { registry: dockerHub, rest: name };
  return { registry: first === "index.docker.io" ? dockerHub : first, rest: name.slice(slash + 1) };
}

function splitTag(rest: string): { readonly path: string; readonly tag: string | undefined } {
  const colon = rest.lastIndexOf(":");
  if (colon === -1 || colon < rest.lastIndexOf("/")) return { path: rest, tag: undefined };
  return { path: rest.slice(0, colon), tag: rest.slice(colon + 1) };
}

/** The full reference, without defaults. */
export function formatReference({ registry, repository, tag, digest }: Reference): string {
  return `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}

function bad(text: string, why: string): OciError {
  return new OciError(
    "BadReference",
    `could not read "${text}" as the name of an image: ${why}; write it like registry.example.com/team/app:v1`,
  );
}
