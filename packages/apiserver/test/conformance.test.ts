/** The conformance cases against what a real kube-apiserver answered: all in process, a sample over HTTP; the long tests play all over HTTP. */
import { test } from "node:test";
import { isSampled, playCases } from "./conformance-door.ts";

test("answers in process as kube-apiserver does", (t) => playCases(t, "in process", () => true));

test("answers a sample over HTTP as kube-apiserver does", (t) => playCases(t, "over HTTP", isSampled));
