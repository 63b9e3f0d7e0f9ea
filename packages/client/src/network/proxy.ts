/** Which proxy to use: the kubeconfig's, else the environment's, by Go's rules. */
import { BlockList, isIP } from "node:net";
import { ConfigError } from "../error/config-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a server, if any. */
export function proxyFor(server: URL, configured: string | undefined, env: Environment): URL | undefined {
  if (configured !== undefined && configured !== "") return proxyAt(configured, "proxy-url in the kubeconfig");
  const names = server.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const said = firstOf(env, names);
  if (said === undefined || isExempt(server, firstOf(env, ["NO_PROXY", "no_proxy"])?.text ?? "")) return undefined;
  return proxyAt(said.text.includes("://") ? said.text : `http://${said.text}`, said.name);
}

const protocols = new Set(["http:", "https:", "socks5:", "socks5h:"]);

/** The text is not quoted: it may contain a password. */
function proxyAt(text: string, from: string): URL {
  const url = URL.parse(text);
  if (url !== null && protocols.has(url.protocol) && url.hostname !== "") return url;
  const cure = "Write it as http://host:port, https://host:port or socks5://host:port.";
  throw new ConfigError("Malformed", `Cannot use the proxy: ${from} is not the address of one. ${cure}`);
}

/** Empty variables count as unset. */
function firstOf(env: Environment, names: readonly string[]): { name: string; text: string } | undefined {
  for (const name of names) {
    const text = env[name];
    if (text !== undefined && text !== "") return { name, text };
  }
  return undefined;
}

/** Loopback addresses never use a proxy; NO_PROXY lists hosts, domains, addresses and networks. */
function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  if (host === "localhost" || host === "::1" || host.startsWith("127.")) return true;
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return noProxy
    .split(",")
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== "" && covers(rule, host, ownPort));
}

function covers(rule: string, host: string, port: string): boolean {
  if (rule === "*") return true;
  if (rule.includes("/")) return isWithin(host, rule);
  if (isIP(rule) === 6) return isSameAddress(rule, host);
  const [, name = rule, rulePort] = /^(.+):(\d+)$/u.exec(rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const address = name.replace(/^\[(.*)\]$/u, "$1");
  if (isIP(address) > 0) return isSameAddress(address, host);
  const domain = name.replace(/^\*?\./u, "");
  const suffixOnly = domain !== name;
  return (!suffixOnly && host === domain) || host.endsWith(`.${domain}`);
}

function isSameAddress(address: string, host: string): boolean {
  return isWithin(host, `${address}/${isIP(address) === 6 ? 128 : 32}`);
}

/** Whether an address is in a network such as 10.0.0.0/8 or fd00::/8; an invalid network matches nothing. */
function isWithin(host: string, network: string): boolean {
  const [, base = "", bits] = /^(.+)\/(\d{1,3})$/u.exec(network) ?? [];
  const family = isIP(base);
  if (bits === undefined || family === 0 || isIP(host) !== family) return false;
  if (Number(bits) > (family === 6 ? 128 : 32)) return false;
  const type = family === 6 ? "ipv6" : "ipv4";
  const covered = new BlockList();
  covered.addSubnet(base, Number(bits), type);
  return covered.check(host, type);
}
