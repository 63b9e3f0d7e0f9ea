/** The annotations of a Subscription that say which upgrades are approved by themselves. */
import { durationToMilliseconds, parseDuration } from "@capstan/model";
import type { Subscription } from "../kinds/subscription.ts";
import { parseWindows, type Window } from "./window.ts";

/** Which versions are approved: `patch`, `minor`, `any`, or `none` but those that users approve. */
export const versionsAnnotation = "lifecycle.capstan.dev/approve-versions";
/** When upgrades begin, such as `Sat-Sun 02:00-06:00 Europe/Berlin`. */
export const windowAnnotation = "lifecycle.capstan.dev/approve-window";
/** How long a version must have been in the catalog, such as `7d`, counted from when this cluster first saw it. */
export const minAgeAnnotation = "lifecycle.capstan.dev/approve-min-age";
/** The Secret with the kubeconfig of the cluster on which a version must have succeeded before. */
export const afterClusterAnnotation = "lifecycle.capstan.dev/approve-after-cluster";
/** For how long it must have run there, such as `24h`. */
export const afterSoakAnnotation = "lifecycle.capstan.dev/approve-after-soak";
/** A version that users approve whatever the policy says, with those on the way to it. */
export const approvedVersionAnnotation = "lifecycle.capstan.dev/approved-version";
/** Written by the manager: the versions that the policy approves at the moment. */
export const policyApprovedAnnotation = "lifecycle.capstan.dev/policy-approved";
/** Written by the manager: when it first saw each version, as a JSON object. */
export const firstSeenAnnotation = "lifecycle.capstan.dev/first-seen";

const choices = ["any", "minor", "patch", "none"] as const;

/** The policy of a Subscription. */
export interface Policy {
  readonly versions: (typeof choices)[number];
  /** Without windows, upgrades begin at any time. */
  readonly windows: readonly Window[];
  /** In milliseconds. */
  readonly minAge: number;
  readonly after?: { readonly secret: string; readonly soak: number };
}

type Annotated = Pick<Subscription, "metadata">;

/** Whether a Subscription has a policy, even one that cannot be read. */
export function hasPolicy({ metadata: { annotations = {} } }: Annotated): boolean {
  return [versionsAnnotation, windowAnnotation, minAgeAnnotation, afterClusterAnnotation].some(
    (name) => annotations[name] !== undefined,
  );
}

/** The policy; or what is wrong with it. */
export function readPolicy({ metadata: { annotations = {} } }: Annotated): Policy | { readonly problem: string } {
  const { [versionsAnnotation]: named = "any", [windowAnnotation]: when } = annotations;
  const versions = choices.find((each) => each === named);
  if (versions === undefined) return bad(versionsAnnotation, { text: named, wanted: `one of ${choices.join(", ")}` });
  const windows = when === undefined ? [] : parseWindows(when);
  if (windows === undefined)
    return bad(windowAnnotation, { text: when, wanted: "windows such as Sat-Sun 02:00-06:00 Europe/Berlin" });
  const minAge = readDuration(annotations[minAgeAnnotation]);
  if (minAge === undefined) return bad(minAgeAnnotation, { text: annotations[minAgeAnnotation], wanted: duration });
  const soak = readDuration(annotations[afterSoakAnnotation]);
  if (soak === undefined) return bad(afterSoakAnnotation, { text: annotations[afterSoakAnnotation], wanted: duration });
  const secret = annotations[afterClusterAnnotation];
  return { versions, windows, minAge, ...(secret === undefined ? {} : { after: { secret, soak } }) };
}

const duration = "a duration such as 36h or 7d";

function bad(
  annotation: string,
  { text = "", wanted }: { readonly text: string | undefined; readonly wanted: string },
): { readonly problem: string } {
  return { problem: `the annotation ${annotation} must be ${wanted}, not ${JSON.stringify(text)}` };
}

const DAY = 86_400_000;

function readDuration(text: string | undefined): number | undefined {
  if (text === undefined) return 0;
  const days = /^(?<days>\d{1,4})d$/u.exec(text)?.groups?.["days"];
  if (days !== undefined) return Number(days) * DAY;
  try {
    const milliseconds = durationToMilliseconds(parseDuration(text));
    return milliseconds < 0 ? undefined : milliseconds;
  } catch {
    // The caller says which annotation is wrong.
    return undefined;
  }
}

/** The versions that the policy approves at the moment, as the manager last wrote them. */
export function policyApproved({ metadata }: Annotated): readonly string[] {
  return (metadata.annotations?.[policyApprovedAnnotation] ?? "").split(",").filter((each) => each !== "");
}

/** When the manager first saw each version, in milliseconds since 1970. */
export function firstSeen({ metadata }: Annotated): ReadonlyMap<string, number> {
  try {
    const read = JSON.parse(metadata.annotations?.[firstSeenAnnotation] ?? "{}") as { readonly [name: string]: string };
    const times = Object.entries(read).map(([name, time]) => [name, Date.parse(time)] as const);
    return new Map(times.filter(([, time]) => !Number.isNaN(time)));
  } catch {
    // An annotation that users broke: the time is counted again.
    return new Map();
  }
}
