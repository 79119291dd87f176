// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sections of an ELF file for BPF: what libbpf does not hand out.

/// A section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) name: &'a str,
    /// Whether it holds instructions.
    pub(crate) is_code: bool,
    pub(crate) data: &'a [u8],
}

/// From the format's definition: magic, 64 bits, little-endian, version; the machine's number.
const IDENT: &[u8] = b"\x7fELF\x02\x01\x01";
const EM_BPF: u16 = 247;
const SHT_NOBITS: u32 = 8;
const SHF_EXECINSTR: u64 = 4;
/// Size of a section's header.
const HEADER: usize = 64;

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn size(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(number(bytes, at)?)).ok()
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(number(bytes, at)?).into())
}

/// All sections; `None`, when it is no whole ELF file for BPF.
pub(crate) fn sections(file: &[u8]) -> Option<Vec<Section<'_>>> {
    if !file.starts_with(IDENT) || u16::from_le_bytes(number(file, 18)?) != EM_BPF {
        return None;
    }
    let (table, header, count, names) = (size(file, 40)?, half(file, 58)?, half(file, 60)?, half(file, 62)?);
    if header != HEADER {
        return None;
    }
    let headers = file.get(table..table.checked_add(HEADER.checked_mul(count)?)?)?;
    let data = |header: &[u8]| {
        if u32::from_le_bytes(number(header, 4)?) == SHT_NOBITS {
            return Some(&file[..0]);
        }
        let at = size(header, 24)?;
        file.get(at..at.checked_add(size(header, 32)?)?)
    };
    let texts = data(headers.chunks_exact(HEADER).nth(names)?)?;
    headers
        .chunks_exact(HEADER)
        .map(|header| {
            let name = texts.get(usize::try_from(u32::from_le_bytes(number(header, 0)?)).ok()?..)?;
            let name = name.split(|byte| *byte == 0).next()?;
            Some(Section {
                name: std::str::from_utf8(name).ok()?,
                is_code: u64::from_le_bytes(number(header, 8)?) & SHF_EXECINSTR != 0,
                data: data(header)?,
            })
        })
        .collect()
}
