/** Allocates addresses of a range; a released address is reused only after the others. */
import { NodeError } from "../errors.ts";

export interface Addresses {
  take(): string;
  giveBack(address: string): void;
}

/** The addresses of an IPv4 range, without the network address, the first (the gateway) and the last. */
export function addressesIn(cidr: string): Addresses {
  const [base = "", bits = "24"] = cidr.split("/");
  const start = toNumber(base);
  const size = 2 ** (32 - Number(bits));
  const returned: string[] = [];
  let next = 2;
  return {
    take() {
      if (next < size - 1) return toText(start + next++);
      const again = returned.shift();
      if (again === undefined) throw new NodeError("FailedCreatePodSandBox", `no addresses are left in ${cidr}`);
      return again;
    },
    giveBack: (address) => void (isInside(address, start, size) && returned.push(address)),
  };
}

function isInside(address: string, start: number, size: number): boolean {
  const offset = toNumber(address) - start;
  return offset >= 2 && offset < size - 1;
}

function toNumber(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
