/** Parses the text of a kubeconfig. */
import { dirname, isAbsolute, resolve } from "node:path";
import { ConfigError } from "../error/config-error.ts";
import { fieldsOf } from "./fields.ts";
import type { Fields } from "./fields.ts";
import type { Lazy, ClusterEntry, ContextEntry, Kubeconfig } from "./kubeconfig.ts";
import { toUser } from "./parse-user.ts";
import { sourceOf } from "./source.ts";
import type { Origin } from "./source.ts";

/** Parses a kubeconfig in YAML or JSON; `file` resolves relative paths and appears in errors. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const fields = fieldsOf(asJson(text) ?? (await asYaml(text, file)), file);
  const path = (name: string): string => (isAbsolute(name) ? name : resolve(dirname(file), name));
  const origin = (kind: "cluster" | "user", name: string): Origin => ({ file, path, owner: `the ${kind} "${name}"` });
  return {
    currentContext: fields.text("current-context"),
    contexts: named(fields.list("contexts"), file, (entry) => toContext(entry.within("context"))),
    clusters: named(fields.list("clusters"), file, (entry, name) =>
      toCluster(entry.within("cluster"), origin("cluster", name)),
    ),
    users: named(fields.list("users"), file, (entry, name) => toUser(entry.within("user"), origin("user", name))),
  };
}

/** JSON is parsed without loading the YAML parser. */
function asJson(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function asYaml(text: string, file: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text) as unknown;
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split("\n", 1)[0] ?? "") : "";
    throw new ConfigError("Malformed", `Cannot use ${file}: it is not YAML (${why}). Correct it there.`, cause);
  }
}

/** Names must be unique within a file, as for kubectl; entries are parsed when used. */
function named<T>(
  entries: readonly Fields[],
  file: string,
  convert: (entry: Fields, name: string) => T,
): Map<string, Lazy<T>> {
  const map = new Map<string, Lazy<T>>();
  for (const entry of entries) {
    const name = entry.text("name") ?? "";
    if (map.has(name)) {
      throw new ConfigError(
        "Contradiction",
        `Cannot use ${file}: the name "${name}" stands twice in a list. Remove one.`,
      );
    }
    map.set(name, () => convert(entry, name));
  }
  return map;
}

function toContext(fields: Fields): ContextEntry {
  return { cluster: fields.text("cluster") ?? "", user: fields.text("user"), namespace: fields.text("namespace") };
}

const execExtension = "client.authentication.k8s.io/exec";

function toCluster(fields: Fields, origin: Origin): ClusterEntry {
  const extension = fields.list("extensions").find((one) => one.text("name") === execExtension);
  return {
    server: fields.text("server") ?? "",
    certificateAuthority: sourceOf(fields, "certificate-authority", origin),
    insecureSkipTlsVerify: fields.flag("insecure-skip-tls-verify"),
    tlsServerName: fields.text("tls-server-name"),
    proxyUrl: fields.text("proxy-url"),
    execConfig: extension?.raw("extension"),
  };
}
