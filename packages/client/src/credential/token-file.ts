/** A token in a file that another process renews, as the kubelet does for pods. */
import type { Host } from "../host/host.ts";
import { readSource } from "../kubeconfig/source.ts";
import { cached } from "./cached.ts";
import { bearer } from "./credential.ts";
import type { Credential, Identity } from "./credential.ts";

/** The file is read again after this time, as client-go does, and when its token is rejected. */
const rereadMs = 60_000;

/** The credential of a token file. If the file cannot be read again, the last token may still be valid. */
export function tokenFile(host: Pick<Host, "readFile" | "clock">, file: string): Credential {
  let last: Identity | undefined;
  return cached(host.clock, async () => {
    try {
      last = bearer((await readSource(host, { file })).trim(), `the file ${file}`);
    } catch (error) {
      if (last === undefined) throw error;
    }
    return { identity: last, expiresAt: host.clock.wall() + rereadMs };
  });
}
