/** The reference of an image by its digest, as containers' libraries write it. */

/** `quay.io/a/b:1` with a digest is `quay.io/a/b@sha256:...`; a name without a registry is one of Docker Hub. */
export function canonicalReference(image: string, digest: string | undefined): string {
  const [named = "", own] = image.split("@");
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash + 1);
  const name = colon === -1 ? named : named.slice(0, colon);
  const [first = "", ...rest] = name.split("/");
  const hasRegistry = rest.length > 0 && (/[.:]/u.test(first) || first === "localhost");
  const full = hasRegistry ? name : `docker.io/${rest.length === 0 ? `library/${name}` : name}`;
  const known = digest ?? own;
  return known === undefined ? full : `${full}@${known}`;
}
