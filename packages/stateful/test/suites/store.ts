/** An adapter without servers, for suites that bring their own. */
import { application } from "../../src/application.ts";
import type { Application } from "../../src/application.ts";

const unused = async (): Promise<never> => {
  throw new Error("the suites have servers of their own");
};

export const store: Application<AsyncDisposable, number> = application({
  name: "store",
  port: 7000,
  image: "example.com/store:{version}",
  connect: unused,
  report: (_client: AsyncDisposable) => unused(),
  topology: {
    compare: (one, other) => (one === other ? "same" : one < other ? "behind" : "ahead"),
    acknowledgements: (size) => (size > 1 ? 1 : 0),
    fence: unused,
    freeze: unused,
    waitFor: unused,
    promote: unused,
    setAcknowledgements: unused,
    follow: unused,
  },
  member: () => ({ user: 1000, prepare: "true", start: "exec store", probe: ["store", "ping"] }),
  settings: {
    classOf: (name) =>
      name === "cache" ? "live" : name === "port" ? "operator" : name === "page" ? "creation" : "restart",
    sized: (memoryBytes) => ({ cache: String(memoryBytes / 2) }),
    set: unused,
  },
  hasTls: true,
  accounts: {
    reserved: ["root"],
    reservedDatabases: ["system"],
    databaseOptions: { encoding: "How text is stored" },
    keepUser: unused,
    dropUser: unused,
    keepDatabase: unused,
    dropDatabase: unused,
    setPasswords: unused,
  },
  versions: { known: ["1.0", "2.0"], canGo: (from, to) => from <= to },
});
