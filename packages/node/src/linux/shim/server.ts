/** The shim server: a Unix socket through which the outside reaches the network and the processes of the node. */
import { spawn } from "node:child_process";
import { connect, createServer, type Server, type Socket } from "node:net";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { writeHolding } from "../flow.ts";
import { createFrameCutter, toFrame } from "../frames.ts";
import { channels, type CommandEnd, type ShimConnection } from "../protocol.ts";
import { atSocket } from "../socket-path.ts";
import { withTerminal, type TerminalCommand } from "../terminal.ts";
import { stdinOf, type Containers } from "./containers.ts";
import { killProcessTree } from "./kill-processes.ts";
import { joinCgroups } from "./join-cgroups.ts";
import { waitAtGate, openGate } from "./start-gate.ts";
import { execErrorOf, lookAtCommand, type CommandSearch, type ExecError } from "./look-path.ts";
import { spawnPiped } from "./pipes.ts";
import { createExecErrorFilter, isExecErrorCode } from "./exec-error.ts";
import { enterOptions, releaseSpaces } from "./spaces.ts";

/** What the shim server works on. */
export interface ShimContext {
  readonly containers: Containers;
  readonly pause: () => Promise<void>;
}

/** Listens on the socket. */
export function startShimServer(path: string, context: ShimContext): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => accept(socket, context));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    atSocket(path, (name) => server.listen(name, () => resolve(server)));
  });
}

function accept(socket: Socket, context: ShimContext): void {
  let head: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(0x0a);
    if (end === -1) return;
    socket.off("data", read);
    socket.pause();
    const request = JSON.parse(head.toString("utf8", 0, end)) as ShimConnection;
    if (head.length > end + 1) socket.unshift(head.subarray(end + 1));
    serve(socket, request, context);
  };
  socket.on("data", read);
}

function serve(socket: Socket, request: ShimConnection, { containers, pause }: ShimContext): void {
  switch (request.to) {
    case "dial":
      return join(socket, connect({ host: request.host, port: request.port, allowHalfOpen: true }));
    case "dial-in":
      return dialIn(socket, request.pid, request.port);
    case "exec":
      return void exec(socket, request, { containers, pause }).catch((error: unknown) =>
        socket.end(commandNotRun(error)),
      );
    case "attach":
      return attach(socket, request, containers);
  }
}

/** Reports in one line whether the target was reached, then forwards all bytes. */
function join(socket: Socket, other: Socket): void {
  other.once("connect", () => {
    socket.write("ok\n");
    socket.pipe(other).pipe(socket);
  });
  other.on("error", (error) => {
    if (other.connecting || other.bytesWritten + other.bytesRead === 0) socket.end(`${error.message}\n`);
    else socket.destroy();
  });
  socket.once("close", () => other.destroy());
}

/**
 * Forwards bytes to a port of the loopback in its network namespace. A program may listen on only one of its addresses: they are tried in
 * the order of container runtimes, and if both fail, the error of the first is reported.
 */
const forwardProgram = `
const dial = (host, failed) => {
  const s = require("net").connect({ port: +process.argv[1], host });
  let open = false;
  s.on("connect", () => { open = true; process.stdout.write("ok\\n"); process.stdin.pipe(s); s.pipe(process.stdout); });
  s.on("error", (error) => open ? process.exit(1) : failed(error));
  s.on("close", () => open && process.stdin.destroy());
};
dial("127.0.0.1", ({ message }) => dial("::1", () => { process.stdout.write(message + "\\n"); process.exit(1); }));`;

/** Enters the network namespace of a process with a program that forwards bytes: its loopback can be reached from nowhere else. */
function dialIn(socket: Socket, pid: number, port: number): void {
  const child = spawn("nsenter", ["-t", String(pid), "-n", process.execPath, "-e", forwardProgram, String(port)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  socket.pipe(child.stdin);
  child.stdout.pipe(socket);
  child.on("error", () => socket.destroy());
  child.stdin.on("error", () => {});
  socket.once("close", () => child.kill("SIGKILL"));
}

async function exec(
  socket: Socket,
  request: Extract<ShimConnection, { readonly to: "exec" }>,
  { containers, pause }: ShimContext,
): Promise<void> {
  const { membership } = request;
  const way = containers.enter(request.id);
  if (way === undefined) return void socket.end(commandNotRun("container not running"));
  const execError = expectedExecError(way.pid, request.program);
  if (execError !== undefined) return void (releaseSpaces(way.spaces), socket.end(notExecuted(execError)));
  const command = commandInto(way, request);
  const {
    process: child,
    stdin,
    stdout,
    stderr,
    closed,
  } = await spawnPiped({
    ...request,
    argv: waitAtGate(command.argv),
    variables: { ...request.variables, ...command.variables },
    channels: [true],
  }).catch((error: unknown) => {
    releaseSpaces(way.spaces);
    throw error;
  });
  const pipes: readonly (Readable | Writable | null | undefined)[] = child.stdio;
  const resize = resizerOf(child.pid);
  const size = request.tty ? Promise.race([resize.first, waitForSize(pause)]) : undefined;
  void Promise.all([size, joinCgroups(child.pid, membership)]).then(([word]) => openGate(pipes[3], word ?? ""));
  const send = (channel: number, bytes: Uint8Array): void =>
    writeHolding(socket, toFrame(channel, bytes), [stdout, stderr]);
  const filter = createExecErrorFilter([request.execErrorPrefix], send);
  stdout.on("data", (chunk: Buffer) => filter.take(channels.stdout, chunk));
  stderr.on("data", (chunk: Buffer) => filter.take(channels.stderr, chunk));
  void closed.then((how) => {
    releaseSpaces(way.spaces);
    if (how.failure !== undefined) return void socket.end(commandNotRun(how.failure));
    const code = codeOf(how);
    const refused = filter.end(isExecErrorCode(code) ? request.execErrorPrefix : undefined);
    const end: CommandEnd = refused === undefined ? { code } : { code, refused };
    send(channels.exit, Buffer.from(JSON.stringify(end)));
    socket.end();
  });
  const cut = createFrameCutter();
  socket.on("data", (chunk: Buffer) => {
    for (const { channel, bytes } of cut(chunk)) {
      if (channel === channels.stdin && stdin !== null) writeHolding(stdin, bytes, [socket]);
      if (channel === channels.closeStdin) stdin?.end();
      if (channel === channels.resize && request.tty) resize.to(bytes);
    }
  });
  // The end of the input is a separate frame: a closed connection means that the client is gone.
  socket.on("end", () => socket.destroy());
  // Killing the child is not enough: it only waits for the process that it started in the container.
  socket.once("close", () => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (!isOver && child.pid !== undefined) void killProcessTree(child.pid, pause);
  });
  socket.resume();
}

/** The expected exec error of a command. A relative path depends on the working directory, which only its process knows. */
function expectedExecError(pid: number, program: CommandSearch): ExecError | undefined {
  const { command } = program;
  if (command.includes("/") && !command.startsWith("/")) return undefined;
  return execErrorOf(lookAtCommand(`/proc/${pid}/root`, program), program);
}

/** The frames that the client gets instead of the output of the command. */
function notExecuted(execError: ExecError): Buffer {
  const end = (how: CommandEnd): Buffer => toFrame(channels.exit, Buffer.from(JSON.stringify(how)));
  if ("refused" in execError) return end({ code: 127, refused: execError.refused });
  const { file, failure } = execError.unexecuted;
  const words = toFrame(channels.stderr, Buffer.from(`exec ${file}: ${failure}\n`));
  return Buffer.concat([words, end({ code: 1 })]);
}

/** Uses the working directory of the container's program. */
function commandInto(
  { pid, spaces }: NonNullable<ReturnType<Containers["enter"]>>,
  { entry, tty, owner }: Extract<ShimConnection, { readonly to: "exec" }>,
): TerminalCommand {
  const { pod, own } = enterOptions(spaces);
  const nsenter = "/usr/bin/nsenter";
  const argv = [nsenter, ...pod, "--", nsenter, "-t", String(pid), ...own, "-w", ...entry];
  return tty ? withTerminal(argv, owner) : { argv, variables: {} };
}

/** The client must receive an error: it takes silence for success. */
function commandNotRun(why: unknown): Buffer {
  const end: CommandEnd = { error: why instanceof Error ? why.message : String(why) };
  return toFrame(channels.exit, Buffer.from(JSON.stringify(end)));
}

function codeOf({ code, signal }: { readonly code: number | null; readonly signal: string | null }): number {
  return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? constants.signals.SIGKILL);
}

/** Long enough for a terminal size that is sent at once; some clients never send one. */
async function waitForSize(pause: () => Promise<void>): Promise<undefined> {
  for (let step = 0; step < 100; step++) await pause();
}

/**
 * Sets the sizes of a terminal in order. The terminal is that of the child of `script`, which may already have ended; the first size
 * arrives before the child exists.
 */
function resizerOf(pid: number | undefined): { readonly to: (bytes: Buffer) => void; readonly first: Promise<string> } {
  const script =
    'for try in $(seq 200); do read -r child rest < "/proc/$0/task/$0/children" || test -e "/proc/$0" || exit; stty -F "/proc/$child/fd/0" cols "$1" rows "$2" && exit; sleep 0.01; done';
  let next: readonly [width: string, height: string] | undefined;
  let isBusy = false;
  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    // Of several sizes that arrive while one is being set, only the last counts.
    for (let size = next; size !== undefined; size = next) {
      next = undefined;
      const child = spawn("sh", ["-c", script, String(pid), ...size], { stdio: "ignore" });
      await new Promise<void>((resolve) => void child.once("close", resolve).once("error", () => resolve()));
    }
    isBusy = false;
  };
  const first = Promise.withResolvers<string>();
  const to = (bytes: Buffer): void => {
    const size = /"Width":(\d+),"Height":(\d+)/.exec(bytes.toString("utf8"));
    if (size === null) return;
    const [, width = "80", height = "24"] = size;
    first.resolve(`cols ${width} rows ${height}`);
    next = [width, height];
    void work();
  };
  return { to, first: first.promise };
}

/** How many bytes may wait for an attached client. */
const maxBacklogBytes = 16 * 2 ** 20;

function attach(
  socket: Socket,
  { id, stdin }: Extract<ShimConnection, { readonly to: "attach" }>,
  containers: Containers,
): void {
  const running = containers.find(id);
  if (running === undefined) return void socket.end(commandNotRun("container not running"));
  const watch = (stream: "stdout" | "stderr", chunk: Buffer): void => {
    socket.write(toFrame(channels[stream], chunk));
    // The program must not wait for an attached client: a client that falls too far behind is disconnected.
    if (socket.writableLength > maxBacklogBytes) socket.destroy();
  };
  running.watchers.add(watch);
  // The exit code of the container is not reported to attached clients.
  const leave = (): void => {
    running.watchers.delete(watch);
    const end: CommandEnd = { code: 0 };
    if (socket.writable) socket.end(toFrame(channels.exit, Buffer.from(JSON.stringify(end))));
  };
  void running.child.closed.then(leave);
  socket.once("close", () => running.watchers.delete(watch));
  const input = stdin ? stdinOf(running) : null;
  const resize = resizerOf(running.child.process.pid);
  const cut = createFrameCutter();
  socket.on("data", (chunk: Buffer) => {
    for (const { channel, bytes } of cut(chunk)) {
      if (channel === channels.stdin && input !== null) writeHolding(input, bytes, [socket]);
      // The end of the client's input ends only its session if the container accepts input from later clients.
      if (channel === channels.closeStdin && running.launch.stdinOnce !== true) leave();
      else if (channel === channels.closeStdin) input?.end();
      if (channel === channels.resize) resize.to(bytes);
    }
  });
  socket.once("close", () => {
    if (running.launch.stdinOnce === true) input?.end();
  });
  socket.resume();
}
