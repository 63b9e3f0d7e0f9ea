/** The service account tokens of pods, renewed well before they expire. */
import type { BoundPod } from "../pod/containers.ts";
import type { Client, Clock } from "@capstan/client";
import type { ServiceAccountTokenProjection } from "@capstan/kinds/v1";

/** Service account tokens for pods. */
export interface Tokens {
  tokenFor(pod: BoundPod, wanted: ServiceAccountTokenProjection): Promise<string>;
  /** The pod has ended; its tokens are dropped. */
  drop(uid: string): void;
}

interface Issued {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly renewAt: number;
}

/** A token is renewed after 80 % of its lifetime, and after a day at the latest. */
const lifeShare = 0.8;
const longestLife = 24 * 3600 * 1000;

/** Requests tokens from the API server, each bound to its pod. */
export function tokensOf(client: Client, clock: Clock): Tokens {
  const issued = new Map<string, Map<string, Issued>>();
  return {
    async tokenFor(pod, { audience, expirationSeconds = 3600 }) {
      const { name, namespace = "", uid } = pod.metadata;
      const known = issued.get(uid) ?? new Map<string, Issued>();
      issued.set(uid, known);
      const key = `${audience ?? ""}/${expirationSeconds}`;
      const held = known.get(key);
      if (held !== undefined && clock.wall() < held.renewAt) return held.token;
      const account = { namespace, name: pod.spec.serviceAccountName ?? "default" };
      const { status } = await client.createToken(account, {
        audiences: audience === undefined || audience === "" ? [] : [audience],
        expirationSeconds,
        boundObjectRef: { kind: "Pod", apiVersion: "v1", name, uid },
      });
      const life = Date.parse(status.expirationTimestamp) - clock.wall();
      known.set(key, { token: status.token, renewAt: clock.wall() + Math.min(longestLife, life * lifeShare) });
      return status.token;
    },
    drop: (uid) => void issued.delete(uid),
  };
}
