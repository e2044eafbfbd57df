import { describe, expect, test } from 'vitest';
import { Fake } from '../../src/backend/fake';
import { pieces } from '../../src/chat/fences';
import { Conversation } from '../../src/chat/conversation.svelte';
import { Session } from '../../src/workspace/session.svelte';

async function begun() {
  const fake = new Fake();
  const session = new Session(fake);
  const conversation = new Conversation(session);
  await session.begin((event) => conversation.hear(event));
  return { fake, session, conversation };
}

async function settled(conversation: Conversation) {
  for (let tries = 0; conversation.busy && tries < 200; tries += 1) await new Promise((done) => setTimeout(done, 10));
}

describe('a session', () => {
  test('begins with the open documents, the first in front', async () => {
    const { session } = await begun();
    expect(session.phase).toBe('ready');
    expect(session.active?.name).toBe('welcome.md');
  });

  test('says why it could not begin', async () => {
    const fake = new Fake();
    fake.failNext.set('proposals.list', { code: 'io_error', status: 500, retry: 'none', message: 'The disk is gone.' });
    const session = new Session(fake);
    await session.begin(() => {});
    expect([session.phase, session.failure?.message]).toEqual(['failed', 'The disk is gone.']);
  });

  test('a proposal comes to the front, is accepted and can be undone', async () => {
    const { session, conversation } = await begun();
    await conversation.send('replace "pilot" with "trial"');
    await settled(conversation);
    expect(session.view).toBe('review');
    const proposal = session.waiting(session.activeId);
    expect(proposal?.changes).toHaveLength(2);
    session.stepChange(-1);
    expect(session.changeAt).toBe(1);
    if (proposal) await session.accept(proposal);
    expect([session.view, session.active?.content_rev]).toEqual(['document', 2]);
    expect(session.notices.at(-1)?.undo).toBe(session.activeId);
  });

  test('a refused request becomes a notice and changes nothing', async () => {
    const { fake, session } = await begun();
    fake.failNext.set('history.undo', { code: 'out_of_range', status: 422, retry: 'fix_and_retry', message: 'There is nothing to undo.' });
    await session.undo(session.activeId ?? '');
    expect(session.notices.at(-1)?.error?.code).toBe('out_of_range');
    expect(session.active?.content_rev).toBe(1);
  });

  test('closing the document in front brings the next one', async () => {
    const { session } = await begun();
    await session.close(session.activeId ?? '');
    expect(session.active?.name).toBe('budget.xlsx');
  });

  test('files that could not be opened are told one by one', async () => {
    const { fake, session } = await begun();
    const error = { code: 'encrypted_document', status: 415, retry: 'none', message: 'It has a password.' } as const;
    fake.emit({ event: 'shell.opened', opened: [], failed: [{ name: 'a.docx', error }, { name: 'b.docx', error }] });
    expect(session.notices.map((notice) => notice.values.name)).toEqual(['a.docx', 'b.docx']);
  });
});

describe('a conversation', () => {
  test('an answer that is asked for again voids what was said since the last receipt', async () => {
    const { fake, conversation } = await begun();
    const sent = conversation.send('replace "pilot" with "trial"');
    await settled(conversation);
    await sent;
    const reply = conversation.messages.at(-1);
    if (reply?.from !== 'stet') throw new Error('no reply');
    const kept = reply.parts.findLastIndex((part) => part.kind === 'tool' && part.call.receipt) + 1;
    expect(kept).toBeGreaterThan(0);
    // The turn is taken up again where the fake left it.
    conversation.turn = 'turn-x';
    fake.emit({ event: 'turn_text', turn_id: 'turn-x', delta: 'half a sen' });
    fake.emit({ event: 'turn_restarted', turn_id: 'turn-x' });
    expect(reply.parts).toHaveLength(kept);
    fake.emit({ event: 'turn_text', turn_id: 'turn-x', delta: 'A whole sentence.' });
    expect(reply.parts.at(-1)).toEqual({ kind: 'text', text: 'A whole sentence.' });
  });

  test('shows what was not understood as text', async () => {
    const { conversation } = await begun();
    await conversation.send('do something');
    await settled(conversation);
    const reply = conversation.messages.at(-1);
    expect(reply?.from === 'stet' && reply.parts.map((part) => part.kind)).toEqual(['text']);
  });

  test('keeps a refusal with its reason in the card', async () => {
    const { conversation } = await begun();
    await conversation.send('replace "nowhere" with "x"');
    await settled(conversation);
    const reply = conversation.messages.at(-1);
    const card = reply?.from === 'stet' ? reply.parts.find((part) => part.kind === 'tool') : undefined;
    expect(card?.kind === 'tool' && card.call.receipt?.error?.code).toBe('zero_matches');
  });

  test('a message can be taken back and changed', async () => {
    const { conversation } = await begun();
    await conversation.send('do something');
    await settled(conversation);
    const said = conversation.messages[0];
    if (said) conversation.edit(said.id);
    expect([conversation.draft, conversation.messages.length]).toEqual(['do something', 0]);
  });

  test('a start that fails is an error in the conversation', async () => {
    const { fake, conversation } = await begun();
    fake.failNext.set('turn.start', { code: 'timeout', status: 408, retry: 'later', message: 'The model did not answer.' });
    await conversation.send('hello');
    const reply = conversation.messages.at(-1);
    expect(reply?.from === 'stet' && [reply.state, reply.error?.code]).toEqual(['failed', 'timeout']);
    expect(conversation.busy).toBe(false);
  });
});

test('blocks are told apart from what is said, also while they grow', () => {
  const answer = 'I add this:\n````md file=file-02ea40ee op=append_lines\n# Title\n```\ncode\n```\n````\nDone.';
  expect(pieces(answer)).toEqual([
    { kind: 'text', text: 'I add this:' },
    { kind: 'block', info: 'md file=file-02ea40ee op=append_lines', text: '# Title\n```\ncode\n```', open: false },
    { kind: 'text', text: 'Done.' },
  ]);
  expect(pieces('```edit:file-1\n<<<<<<< SEARCH\nold').at(-1)).toEqual({ kind: 'block', info: 'edit:file-1', text: '<<<<<<< SEARCH\nold', open: true });
});
