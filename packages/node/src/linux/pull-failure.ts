/** Why an image could not be pulled, in the words that containerd returns to a kubelet: users and tools search for them. */
import { formatReference, OciError, type Reference } from "@capstan/oci";

/** Not imported: as an ES module node:http loads undici, 14 MiB that this package does not use. */
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The remedy without a registry. */
const remedy = "load the image with `capstan cluster load-image`";

/** The message of a failed pull. */
export function pullFailure(reference: Reference, thrown: unknown): string {
  const name = formatReference(reference);
  const failed = `failed to pull and unpack image "${name}"`;
  if (!(thrown instanceof OciError)) return `${failed}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  const { code, message, status } = thrown;
  const unresolved = `${failed}: failed to resolve image`;
  if (code === "NoPlatform") {
    const [digest = ""] = /sha256:[0-9a-f]+/.exec(message) ?? [];
    const why = `get image config descriptor: no match for platform in manifest ${digest}: not found`;
    return `rpc error: code = NotFound desc = ${why}`;
  }
  if (code === "NotFound") return `rpc error: code = NotFound desc = ${unresolved}: ${name}: not found`;
  if (code === "Unreachable")
    return `${unresolved}: failed to do request: Head "${addressOf(reference)}": ${message}; ${remedy}`;
  if (status !== undefined) {
    const answer = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
    return `${unresolved}: unexpected status from HEAD request to ${addressOf(reference)}: ${answer}`;
  }
  if (code !== "Unauthorized") return `${failed}: ${message}`;
  const denied = "pull access denied, repository does not exist or may require authorization";
  return `${unresolved}: ${denied}: authorization failed: no basic auth credentials`;
}

function addressOf({ registry, repository, digest, tag = "latest" }: Reference): string {
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry);
  const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
  return `${isLoopback ? "http" : "https"}://${host}/v2/${repository}/manifests/${digest ?? tag}`;
}
