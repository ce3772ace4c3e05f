// Variables of Rust.
use std::hint::black_box;
#[derive(Clone, Copy)]
struct Point { x: i32, y: i16 }
struct Shape<'a> { name: &'a str, at: Point, sizes: [u16; 4], pair: (u8, i64) }
enum Kind { Empty, Number(u32), Named { id: i16, on: bool } }
impl<'a> Shape<'a> {
    #[inline(never)]
    fn grow(&mut self, by: i32) -> i64 {
        let before = self.at.x;
        self.at.x += by;
        self.pair.1 -= before as i64;
        let after = black_box(self.at.x);
        (after - before) as i64 + self.pair.1
    }
    #[inline(never)]
    fn sum(&self, letters: &[u8]) -> u32 {
        let mut total = 0u32;
        for &s in self.sizes.iter() { total = black_box(total + s as u32); }
        total + letters.len() as u32 + self.name.len() as u32
    }
}
#[inline(never)]
fn kinds(k: &Kind, c: char, flag: bool) -> i64 {
    let code = c as u32;
    let r = match *k { Kind::Empty => 1, Kind::Number(n) => n as i64, Kind::Named { id, on } => id as i64 * (on as i64 + 1) };
    black_box(code);
    black_box(r) + flag as i64
}
#[inline(never)]
fn points(p: Point, q: &Point) -> i32 {
    let d = p.x - q.x;
    let e = (p.y - q.y) as i32;
    black_box(d);
    d * d + e * e
}
fn main() {
    let mut s = Shape { name: "peg", at: Point { x: -5, y: 6 }, sizes: [1, 2, 3, 400], pair: (9, -10) };
    let mut total = 0i64;
    for round in 0..2 {
        total += s.grow(round + 3);
        total += s.sum(b"letters") as i64;
        total += kinds(&Kind::Number(77), 'x', round == 1) + kinds(&Kind::Named { id: -3, on: true }, 'é', false) + kinds(&Kind::Empty, 'z', true);
        total += points(Point { x: round, y: 3 }, &s.at) as i64;
    }
    println!("{}", total & 1);
}
