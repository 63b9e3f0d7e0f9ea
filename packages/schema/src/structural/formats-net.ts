/** Network addresses in strings, accepted like Go's net package (and its sloppy predecessor). */

function ipv4Sloppy(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function ipv4Strict(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** The 16-bit groups of an IPv6 address, with an IPv4 tail checked by `tail`. */
function isIPv6Text(text: string, tail: (text: string) => boolean): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const counts = halves.map((half, i) => groupCount(half, i === halves.length - 1 ? tail : undefined));
  if (counts.some((count) => count === undefined)) return false;
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return halves.length === 2 ? total <= 7 : total === 8;
}

function groupCount(half: string, tail: ((text: string) => boolean) | undefined): number | undefined {
  if (half === "") return 0;
  const groups = half.split(":");
  const last = groups.at(-1) ?? "";
  const hasTail = tail !== undefined && last.includes(".");
  const plain = hasTail ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  if (hasTail && !tail(last)) return undefined;
  return plain.length + (hasTail ? 2 : 0);
}

function isIPSloppy(text: string): boolean {
  return text.includes(":") ? isIPv6Text(text, ipv4Sloppy) : ipv4Sloppy(text);
}

/** An address with a dot: IPv4 with leading zeros allowed, or IPv6 with an IPv4 tail. */
export function isIPv4(text: string): boolean {
  return text.includes(".") && isIPSloppy(text);
}

/** An address with a colon. */
export function isIPv6(text: string): boolean {
  return text.includes(":") && isIPv6Text(text, ipv4Strict);
}

/** An address, a slash and a prefix length. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  const max = address.includes(":") ? 128 : 32;
  return /^\d+$/.test(bits) && Number(bits) <= max && isIPSloppy(address);
}

const byte = "[0-9a-fA-F]{2}";
const pair = "[0-9a-fA-F]{4}";
const macs = [6, 8, 20].flatMap((bytes) => [
  new RegExp(`^${byte}(:${byte}){${bytes - 1}}$`),
  new RegExp(`^${byte}(-${byte}){${bytes - 1}}$`),
  new RegExp(`^${pair}(\\.${pair}){${bytes / 2 - 1}}$`),
  new RegExp(`^(${byte}){${bytes}}$`),
]);

/** A 48, 64 or 160 bit hardware address in one of four notations. */
export function isMac(text: string): boolean {
  return macs.some((expression) => expression.test(text));
}
