/** What a CatalogSource says about where its catalog comes from. */
import { durationToMilliseconds, ParseError, parseDuration } from "@capstan/model";
import type { CatalogSource } from "../kinds/catalog-source.ts";

/** The type of the origin, or the message about a spec that is not valid. */
export type SpecVerdict = "address" | "image" | "config-map" | { readonly invalid: string };

/** Reads the type. */
export function judgeSpec({ spec }: CatalogSource): SpecVerdict {
  const { sourceType, configMap = "", image = "", address = "" } = spec;
  switch (sourceType) {
    case "internal":
    case "configmap":
      if (configMap !== "") return "config-map";
      return { invalid: `configmap name unset: must be set for sourcetype: ${sourceType}` };
    case "grpc":
      if (address !== "") return "address";
      if (image !== "") return "image";
      return { invalid: `image and address unset: at least one must be set for sourcetype: ${sourceType}` };
    default:
      return { invalid: `unknown sourcetype: ${sourceType}` };
  }
}

/** How often an image is looked at again; none if it is not polled; the message about an interval that is not valid. */
export type PollVerdict = { readonly every: number; readonly invalid?: string } | { readonly every: undefined };

const DEFAULT_INTERVAL = 15 * 60_000;

/** Reads the polling interval. One that cannot be read counts as 15 minutes. */
export function judgePolling({ spec }: CatalogSource): PollVerdict {
  const poll = spec.updateStrategy?.registryPoll;
  if (poll === undefined || spec.sourceType !== "grpc" || (spec.image ?? "") === "") return { every: undefined };
  try {
    const every = durationToMilliseconds(parseDuration(poll.interval ?? ""));
    if (every > 0) return { every };
    return usual(`time: invalid duration "${poll.interval}"`);
  } catch (error) {
    if (error instanceof ParseError) return usual(error.message);
    throw error;
  }
}

function usual(problem: string): PollVerdict {
  const invalid = `error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: ${problem}`;
  return { every: DEFAULT_INTERVAL, invalid };
}
