/** Passes bytes on no faster than they are taken: whoever does not read holds up whoever writes, and memory holds little in between. */
import type { Readable, Writable } from "node:stream";

/** Whatever can be told to wait. */
export interface Holdable {
  pause(): unknown;
  resume(): unknown;
}

/** Who is held until there is room in a target. */
const held = new WeakMap<Writable, Set<Holdable>>();

/** Writes, and holds the sources of what comes next until there is room for it. */
export function writeHolding(target: Writable, bytes: Uint8Array, sources: readonly Holdable[]): void {
  if (!target.writable || target.write(bytes) || target.destroyed) return;
  const waiting = held.get(target) ?? waitForRoom(target);
  for (const source of sources) {
    waiting.add(source);
    source.pause();
  }
}

function waitForRoom(target: Writable): Set<Holdable> {
  const waiting = new Set<Holdable>();
  held.set(target, waiting);
  const goOn = (): void => {
    held.delete(target);
    target.off("drain", goOn);
    target.off("close", goOn);
    for (const source of waiting) source.resume();
  };
  target.on("drain", goOn);
  target.on("close", goOn);
  return waiting;
}

/** A way out that tells of each write when it is through, and not when there is room. */
export type Send = (bytes: Uint8Array, sent: () => void) => void;

/** How much may be on its way before the source has to wait. */
const mostOnTheWay = 1 << 20;

/** Makes such a way hold its source. */
export function sendHolding(send: Send, source: Readable): (bytes: Uint8Array) => void {
  let onTheWay = 0;
  let isHeld = false;
  return (bytes) => {
    onTheWay += bytes.length;
    send(bytes, () => {
      onTheWay -= bytes.length;
      if (!isHeld || onTheWay > mostOnTheWay / 2) return;
      isHeld = false;
      source.resume();
    });
    if (onTheWay <= mostOnTheWay || isHeld) return;
    isHeld = true;
    source.pause();
  };
}
