/** The response of a kubelet to a log request, as clients get it: an error is text from the kubelet and a Status here. */
import { apiErrors, type StatusError } from "@capstan/model";
import { isLive, type Answer, type AnswerBody, type LiveBody } from "../../answer.ts";

/** The maximum number of bytes that are read of an error. */
const longestRefusal = 50_000;

/** The log unchanged; an error is thrown with the kubelet's message. */
export async function toLogAnswer(answer: Answer, pod: string): Promise<Answer> {
  if (answer.status >= 200 && answer.status <= 206) return answer;
  throw toRefusal(answer.status, await textOf(answer.body), pod);
}

function toRefusal(code: number, serverMessage: string, name: string): StatusError {
  if (code === 400) return apiErrors.badRequest(serverMessage);
  if (code === 500) return apiErrors.internalError(serverMessage);
  const resource = { group: "", resource: "pods/log" };
  const unknown = { verb: "", retryAfterSeconds: 0, isUnexpected: false };
  return apiErrors.genericServerResponse({ ...unknown, code, resource, name, serverMessage });
}

async function textOf(body: AnswerBody): Promise<string> {
  const bytes = isLive(body) ? await gather(body) : Buffer.from(body);
  return bytes.subarray(0, longestRefusal).toString("utf8");
}

function gather(body: LiveBody): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    body({
      write: (chunk) => void chunks.push(Buffer.from(chunk)),
      isFull: false,
      whenDrained: () => {},
      end: () => resolve(Buffer.concat(chunks)),
    });
  });
}
