// A small endpoint that speaks chat completions: it names its models, answers a test, makes the tool call it is asked for, and
// remembers who asked with which key.

import { createServer } from 'node:http';
import { once } from 'node:events';

export class Endpoint {
  asked = [];

  static async open() {
    const endpoint = new Endpoint();
    endpoint.server = createServer((request, response) => void endpoint.answer(request, response));
    endpoint.server.listen(0, '127.0.0.1');
    await once(endpoint.server, 'listening');
    endpoint.url = `http://127.0.0.1:${endpoint.server.address().port}/v1`;
    return endpoint;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async answer(request, response) {
    let body = '';
    for await (const piece of request) body += piece;
    const asked = { path: request.url, key: request.headers.authorization, body: body ? JSON.parse(body) : undefined };
    this.asked.push(asked);
    if (request.url.endsWith('/models')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'pocket-large' }, { id: 'pocket-small' }] }));
      return;
    }
    const tool = asked.body?.tools?.[0]?.function?.name;
    const reply = this.script?.(asked.body) ?? (tool === 'report_ready' ? { call: [tool, { word: 'ready' }] } : { text: 'ready' });
    const choice = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: asked.body.model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.setHeader('content-type', 'text/event-stream');
    if (reply.call) {
      const [name, given] = reply.call;
      response.write(choice({ role: 'assistant', tool_calls: [{ index: 0, id: `call_${this.asked.length}`, type: 'function', function: { name, arguments: JSON.stringify(given) } }] }));
      response.write(choice({}, 'tool_calls'));
    } else {
      response.write(choice({ role: 'assistant', content: reply.text }));
      response.write(choice({}, 'stop'));
    }
    response.end('data: [DONE]\n\n');
  }
}
