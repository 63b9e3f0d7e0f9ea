/** Backpressure: a reader that does not read pauses the writer, so that little is buffered in memory. */
import type { Readable, Writable } from "node:stream";

/** A source that can be paused. */
export interface Holdable {
  pause(): unknown;
  resume(): unknown;
}

/** The sources that are paused until a target drains. */
const held = new WeakMap<Writable, Set<Holdable>>();

/** Writes, and pauses the sources until the target drains. */
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

/** An output that reports when each write is complete, and has no drain event. */
export type Send = (bytes: Uint8Array, sent: () => void) => void;

/** How many bytes may be in flight before the source is paused. */
const mostOnTheWay = 1 << 20;

/** Adds backpressure to such an output. */
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
