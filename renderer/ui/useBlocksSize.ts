import { useTranslation } from 'react-i18next';
import type { ResultBlock } from '../../preload/contract/content.ts';
import { sizeOfBlocks } from '../text/sizeOfBlocks.ts';
import { useTimes } from './useTimes.ts';

/** The size of what a server returned, in words. */
export function useBlocksSize(): (blocks: readonly ResultBlock[]) => string {
  const { t, i18n } = useTranslation('attachments');
  const { size } = useTimes();
  return (blocks) => {
    const { characters, bytes } = sizeOfBlocks(blocks);
    const inWords = [
      ...(characters > 0 ? [t('characters', { count: characters, value: characters.toLocaleString(i18n.language) })] : []),
      ...(bytes > 0 ? [size(bytes)] : []),
    ];
    return inWords.length === 0 ? t('empty') : inWords.join(' + ');
  };
}
