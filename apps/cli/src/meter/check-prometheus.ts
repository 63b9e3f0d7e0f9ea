/** Asks a Prometheus whether it answers, and says how sharp the ends of its series are. */
import type { Check } from "@capstan/metering";

/** Checks a server. */
export async function checkPrometheus(url: string): Promise<Check> {
  const name = "prometheus";
  try {
    const response = await fetch(new URL("api/v1/status/buildinfo", url.endsWith("/") ? url : `${url}/`), {
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
    const body: unknown = await response.json();
    const version = versionOf(body);
    return {
      name,
      status: "ok",
      message: `${url} is Prometheus ${version}; without a stale marker it repeats the last value of a series for up to 5 minutes (its lookback), so levels may end that much later`,
      cure: "",
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      name,
      status: "fail",
      message: `${url} cannot be read: ${message}`,
      cure: "start it, or give another --url",
    };
  }
}

function versionOf(body: unknown): string {
  if (typeof body !== "object" || body === null || !("data" in body)) return "of an unknown version";
  const { data } = body;
  if (typeof data !== "object" || data === null || !("version" in data)) return "of an unknown version";
  return String(data.version);
}
