/** Connects to another cluster by a kubeconfig in a Secret, whose author may have fewer rights than the manager. */
import { chooseContext, type ClusterConfig, createClient, parseKubeconfig } from "@capstan/client";
import { clusterOf, type OtherClusterConnection } from "@capstan/lifecycle";
import { apiOf } from "@capstan/runtime";
import { CliError } from "../errors.ts";

const PATIENCE = 10_000;

/** Connects. Programs and files of this machine do not count, only what the text itself has. */
export async function connectOther(text: string): Promise<OtherClusterConnection> {
  const config = chooseContext(await parseKubeconfig(text, "Secret"));
  const outside = outsideOf(config);
  if (outside !== undefined)
    throw new CliError("BadInput", `its kubeconfig uses ${outside}: it must have a token or certificates as data`);
  // A cluster that is slow or gone must not hold up the policies of others.
  const client = createClient(config, { userAgent: "capstan-lifecycle", timeoutMs: PATIENCE });
  return { cluster: clusterOf(apiOf(client)), [Symbol.asyncDispose]: () => client.close() };
}

/** What a configuration uses of the machine; undefined if it stands for itself. */
export function outsideOf({ cluster, user }: ClusterConfig): string | undefined {
  switch (user.proof.type) {
    case "exec":
      return `the program ${user.proof.exec.command}`;
    case "tokenFile":
      return `the file ${user.proof.file}`;
    case "oidc":
      return "an OpenID Connect provider";
    case "none":
    case "token":
    case "basic":
      break;
    default:
      return user.proof satisfies never;
  }
  const sources = [cluster.certificateAuthority, user.clientCertificate, user.clientKey];
  const file = sources.flatMap((each) => (each !== undefined && "file" in each ? each.file : []))[0];
  return file === undefined ? undefined : `the file ${file}`;
}
