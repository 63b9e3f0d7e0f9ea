/** The metering service of this process, by its environment. */
import { env } from "node:process";
import { postUsage } from "./post-usage.ts";
import type { UsageSink } from "./record.ts";

/** Posts to the service of the environment; without one, records go nowhere. */
export const defaultSink: UsageSink = async (event) => {
  const { CAPSTAN_METER_URL: url = "", CAPSTAN_METER_TOKEN_FILE: tokenFile = "" } = env;
  if (url === "") return;
  const now = (): Date => new Date();
  await postUsage({ url, now, fetch, ...(tokenFile !== "" && { tokenFile }) })(event);
};
