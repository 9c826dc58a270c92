"""A receiver of Daybook's webhooks in one file: copy it into your project. It needs Python 3 alone.

Run: WEBHOOK_SECRET=whsec_... PORT=9000 python3 examples/webhook_receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Signed messages may be this old, so that a recorded one cannot be sent again later.
TOLERANCE_S = 300
BODY_BYTES_MAX = 1_000_000

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

# Ids of handled messages. A message may come twice: keep them where your own work is stored.
handled = set()


def is_signed(headers, body):
    """Whether one of the signatures of a request is that of its body (Standard Webhooks)."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), f"v1,{expected}".encode()) for one in signatures)


def handle(message):
    if message["id"] in handled:
        return
    parts = [message["type"], message.get("subject"), message["data"].get("alert", {}).get("sentence")]
    print(": ".join(part for part in parts if part), flush=True)
    handled.add(message["id"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > BODY_BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_signed(self.headers, body):
            return self.answer(401)
        handle(json.loads(body))
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print("ready", flush=True)
    server.serve_forever()
