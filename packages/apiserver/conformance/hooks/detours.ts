/** Webhooks that redirect the caller, or request a retry. */
import type { Hook, Reply, Review } from "./admission.ts";

const redirecting =
  (status: number, location?: string): Hook =>
  () => ({ type: "answer", status, body: "", ...(location === undefined ? {} : { headers: { location } }) });

const asked = new Map<string, number>();

/** The number of calls with the same UID so far, including this one. */
function times({ request: { uid } }: Review): number {
  const count = (asked.get(uid) ?? 0) + 1;
  asked.set(uid, count);
  return count;
}

/** Responds several times with Retry-After, then reports the number of calls. */
const returning =
  (status: number, refusals: number, retryAfter = "0"): Hook =>
  (review) => {
    const count = times(review);
    if (count > refusals) return telling(review, `asked ${count} times`);
    return { type: "answer", status, body: `time ${count}`, headers: { "retry-after": retryAfter } };
  };

function telling({ apiVersion, kind, request: { uid } }: Review, warning: string): Reply {
  const response = { uid, allowed: true, warnings: [warning] };
  return { type: "answer", status: 200, body: JSON.stringify({ apiVersion, kind, response }) };
}

const target = (review: Review): Reply => telling(review, "arrived");

export const detours: { readonly [name: string]: Hook } = {
  "detour-target": target,
  "detour-301": redirecting(301, "detour-target"),
  "detour-302": redirecting(302, "detour-target"),
  "detour-303": redirecting(303, "detour-target"),
  "detour-304": redirecting(304, "detour-target"),
  "detour-307": redirecting(307, "detour-target"),
  "detour-308": redirecting(308, "/admit/detour-target?more=1"),
  "detour-twice": redirecting(308, "detour-307"),
  "detour-lost": redirecting(302, "detour-307"),
  "detour-nowhere": redirecting(307),
  "detour-round": redirecting(307, "detour-round"),
  "detour-down": redirecting(307, "https://127.0.0.1:1/x"),
  "again-503": returning(503, 2),
  "again-429": returning(429, 1),
  "again-500-later": returning(500, 1, "1"),
  "again-never-enough": returning(503, 100),
  "again-ten": returning(503, 10),
  "again-not-a-number": returning(503, 1, "soon"),
  "again-404": returning(404, 1),
  "again-too-late": returning(503, 1, "30"),
};
