/** Names of messages that simulated integrations push. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { composed } from '../../testbed/offline/compose-message.ts';
import { chanceOf } from '../../testbed/offline/machine/chance.ts';

const test = suite('messages that are pushed');

const member = { accountId: 'account-01', memberships: [] };

function idOf(connectionId: string, given: string | undefined): string {
  const credentials = { connectionId, token: '' };
  const origin = { credentials, member, number: 1, paperId: 'paper', sentAt: 0 };
  return composed(origin, chanceOf('messages'), given).messageId;
}

test('in a given fleet no two connections push under one name, although their ids end alike', () => {
  assert.is.not(idOf('69620716d15c14a119958828', 'News'), idOf('69620716d15c14a1aaaa8828', 'News'));
});

test('names of a drawn home stay what they were: they are part of what a seed plays', () => {
  assert.is(idOf('69620716d15c14a119958828', undefined), '8828-01-1');
});

test.run();
