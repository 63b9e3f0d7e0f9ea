/** Which proxy to use: the one of the kubeconfig, else what the environment says, as Go programs read it. */

/** A proxy for a server, or none. */
export function proxyFor(
  server: URL,
  configured: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  if (configured !== undefined && configured !== "") return new URL(configured);
  const names = server.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const said = names.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  if (said === undefined || isExempt(server, env["NO_PROXY"] ?? env["no_proxy"] ?? "")) return undefined;
  return new URL(said.includes("://") ? said : `http://${said}`);
}

/** The machine itself is never reached through a proxy; otherwise NO_PROXY lists hosts, domains, addresses and networks. */
function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/u, "$1");
  if (host === "localhost" || host === "::1" || host.startsWith("127.")) return true;
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return noProxy
    .split(",")
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== "" && covers(rule, host.toLowerCase(), ownPort));
}

function covers(rule: string, host: string, port: string): boolean {
  if (rule === "*") return true;
  if (rule.includes("/")) return isWithin(host, rule);
  const [, name = rule, rulePort] = /^([^:]+):(\d+)$/u.exec(rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const domain = name.replace(/^\*?\./u, "");
  const suffixOnly = domain !== name;
  return (!suffixOnly && host === domain) || host.endsWith(`.${domain}`);
}

/** Whether an IPv4 address lies in a network such as 10.0.0.0/8. */
function isWithin(host: string, network: string): boolean {
  const [base = "", bits = ""] = network.split("/");
  const [address, start] = [toNumber(host), toNumber(base)];
  if (address === undefined || start === undefined) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(address / size) === Math.floor(start / size);
}

function toNumber(address: string): number | undefined {
  if (!/^\d+(\.\d+){3}$/u.test(address)) return undefined;
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
